import type { Sample } from '../metrics/sample.js';
import type { DeliveryCounts } from '../webhooks/count-deliveries.js';

/** How the deliveries of webhooks stand, as gauges. */
export function deliverySamples(counts: DeliveryCounts): Sample[] {
  const { waiting, dead, oldestWaitingSeconds, failingWebhooks, disabledWebhooks } = counts;
  return [
    { name: 'recon_webhook_deliveries', labels: { status: 'waiting' }, value: waiting },
    { name: 'recon_webhook_deliveries', labels: { status: 'dead' }, value: dead },
    { name: 'recon_webhook_oldest_waiting_seconds', labels: {}, value: oldestWaitingSeconds },
    { name: 'recon_webhooks', labels: { state: 'failing' }, value: failingWebhooks },
    { name: 'recon_webhooks', labels: { state: 'disabled' }, value: disabledWebhooks },
  ];
}
