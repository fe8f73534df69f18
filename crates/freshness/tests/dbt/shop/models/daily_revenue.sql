select country, sum(amount) * {{ fails_today() }} as revenue
from {{ ref('fct_orders') }}
group by country
