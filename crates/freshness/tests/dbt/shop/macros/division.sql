{# What makes the model that uses it fail, on the days on which it should. #}
{% macro fails_today() %}cast('{{ env_var("SHOP_FAILS", "1") }}' as integer){% endmacro %}
