select r.country, n.name, r.revenue
from {{ ref('daily_revenue') }} r
join {{ ref('countries') }} n on n.code = r.country
