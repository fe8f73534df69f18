{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='loaded_at', batch_size='day', begin='2026-09-01', lookback=1) }}
select id, amount, loaded_at from {{ ref('fct_orders') }}
