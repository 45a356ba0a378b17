-- Reads the booked payments, for the event of each booking.
select
  json_build_object(
    'key',
    p.key::text,
    'id',
    p.id,
    'shortId',
    p.short_id,
    'paymentType',
    p.payment_type,
    'paymentBrand',
    p.payment_brand,
    'amountMinor',
    p.amount_minor::text,
    'currency',
    p.currency,
    'resultCode',
    p.result_code,
    'merchantTransactionId',
    p.merchant_transaction_id,
    'merchantInvoiceId',
    p.merchant_invoice_id,
    'entityId',
    p.entity_id,
    'connectorTxId1',
    p.connector_tx_id1,
    'connectorTxId2',
    p.connector_tx_id2,
    'connectorTxId3',
    p.connector_tx_id3,
    'accountNumberLast4',
    p.account_number_last4,
    'requestedAt',
    to_char(p.requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'referencedPaymentId',
    p.referenced_payment_id,
    'environment',
    d.environment,
    'connector',
    d.connector,
    'paymentMethod',
    d.payment_method,
    'parameters',
    d.parameters,
    'answer',
    d.answer,
    'registrationId',
    d.registration_id,
    'registrationCreated',
    d.registration_created::text,
    'checkoutId',
    d.checkout_id,
    'industryPractice',
    d.industry_practice,
    'numberOfCaptures',
    d.number_of_captures::text,
    'sequence',
    d.sequence,
    'cardBin',
    d.card_bin,
    'cardLast4',
    d.card_last4,
    'ndc',
    d.ndc
  )::text as payment,
  coalesce(d.environment, d1.environment, d2.environment) as environment,
  coalesce(p.entity_id, p1.entity_id, p2.entity_id) as "entityId"
from
  jsonb_array_elements_text($1::text::jsonb) with ordinality as wanted (id, place)
  join payments p on p.id = wanted.id collate "C"
  and p.id = any ($2::text[])
  left join payment_details d on d.payment_key = p.key
  -- A chargeback belongs to its payment, and the reversal of a chargeback to the chargeback's payment.
  left join payments p1 on p1.id = p.referenced_payment_id
  and p1.id = any ($3::text[])
  left join payment_details d1 on d1.payment_key = p1.key
  left join payments p2 on p2.id = p1.referenced_payment_id
  and p2.id = any ($4::text[])
  left join payment_details d2 on d2.payment_key = p2.key
order by
  wanted.place;
