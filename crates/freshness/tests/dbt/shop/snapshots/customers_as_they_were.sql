{% snapshot customers_as_they_were %}
{{ config(target_schema='main', unique_key='id', strategy='check', check_cols=['country']) }}
select id, country from {{ source('raw', 'customers') }}
{% endsnapshot %}
