{{ config(materialized='view') }}
select id, customer_id, amount, loaded_at from {{ source('raw', 'orders') }}
