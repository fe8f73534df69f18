{{ config(materialized='view') }}
select * from {{ ref('orders') }} where id > 1
