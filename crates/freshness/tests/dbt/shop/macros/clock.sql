{# The day that is played, and not the one on which the test runs. #}
{% macro duckdb__current_timestamp() %}cast('{{ env_var("SHOP_NOW") }}' as timestamptz){% endmacro %}
{% macro postgres__current_timestamp() %}cast('{{ env_var("SHOP_NOW") }}' as timestamptz){% endmacro %}
