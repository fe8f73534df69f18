{{ config(materialized='table') }}
select revenue from {{ ref('revenue') }}
