//! Which calendar does a history follow?
