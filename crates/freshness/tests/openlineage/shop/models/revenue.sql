{{ config(materialized='table') }}
select sum(amount) / {{ env_var('SHOP_DIVISOR') }} as revenue from {{ ref('orders') }}
