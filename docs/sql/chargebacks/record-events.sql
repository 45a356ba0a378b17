-- Records an event for each booking, in the payment core.
insert into
  payment_events (type, action, resource_id, environment, entity_id, payload, occurred_at)
select
  event ->> 'type',
  event ->> 'action',
  event ->> 'resourceId',
  event ->> 'environment',
  event ->> 'entityId',
  event -> 'payload',
  (event ->> 'occurredAt')::timestamptz
from
  jsonb_array_elements($1::text::jsonb) with ordinality as given (event, place)
where
  true
order by
  place;
