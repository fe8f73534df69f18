{{ config(materialized='incremental', unique_key='id') }}
select o.id, o.amount, o.loaded_at, c.country
from {{ ref('kept_orders') }} o
left join {{ source('raw', 'customers') }} c on c.id = o.customer_id
{% if is_incremental() %}
where o.loaded_at > (select max(loaded_at) from {{ this }})
{% endif %}
