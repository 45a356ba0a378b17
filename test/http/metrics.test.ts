import { expect, onTestFinished, test } from 'vitest';
import { metricCatalogue, metricNames } from '../../src/metrics/metric-catalogue.js';
import { namesOf, seriesOf } from '../metrics/series.js';
import { administer } from '../support/database.js';
import { payment, serve } from './served.js';

/** Metrics of `recon serve`: on its port, or on the admin port where there is one. */

test('counts requests by route and status, without ids, and shows the state of the database', async () => {
  const gateway = await serve();
  onTestFinished(() => gateway.close());
  const scrape = async () => {
    const answer = await fetch(`${gateway.url}/metrics`);
    return { status: answer.status, text: await answer.text() };
  };
  const paid = await gateway.call('POST', '/v1/payments', payment('DB'));
  const id = String(paid.body.id);
  for (let request = 0; request < 3; request += 1) await gateway.call('GET', `/v1/payments/${id}`);
  for (const unknown of ['/one', '/two', '/v9/three']) await gateway.call('GET', unknown);
  const { text } = await scrape();
  const series = seriesOf(text);
  const requests = (method: string, route: string, status: number) =>
    series.get(`recon_http_requests_total{method="${method}",route="${route}",status="${status}"}`);
  expect(requests('POST', '/v1/payments', 200)).toBe(1);
  expect(requests('GET', '/v1/payments/:id', 200)).toBe(3);
  expect(requests('GET', 'none', 404)).toBe(3);
  expect(series.get('recon_http_request_duration_seconds_count{route="/v1/payments/:id"}')).toBe(3);
  expect(series.get('recon_database_up')).toBe(1);
  expect(series.get('recon_run_active')).toBe(0);
  expect(series.get('recon_webhook_deliveries{status="dead"}')).toBe(0);
  expect(text).not.toContain(id);
  expect(namesOf(text)).toEqual(
    metricNames.filter((name) =>
      ['everywhere', 'figures', 'process', 'serve'].includes(metricCatalogue[name].of),
    ),
  );
});

test('moves to the admin port, and stays readable while the database is unreachable', async () => {
  const gateway = await serve('http: { adminPort: 0 }');
  onTestFinished(() => gateway.close());
  expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
  for (const path of ['/livez', '/readyz', '/metrics']) {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const refused = await fetch(`${gateway.adminUrl ?? ''}${path}`, { method, body: 'x' });
      expect([method, path, refused.status, refused.headers.get('allow')]).toEqual([
        method,
        path,
        405,
        'GET, HEAD, OPTIONS',
      ]);
    }
    const options = await fetch(`${gateway.adminUrl ?? ''}${path}`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  }
  await administer(`drop database ${gateway.database.name} with (force)`);
  const answer = await fetch(`${gateway.adminUrl ?? ''}/metrics`);
  expect(answer.status).toBe(200);
  const series = seriesOf(await answer.text());
  expect(series.get('recon_database_up')).toBe(0);
  expect(series.get('recon_http_requests_total{method="GET",route="none",status="404"}')).toBe(1);
  // The log says what is wrong with the database, and not only the number of an error.
  await expect
    .poll(gateway.stderr)
    .toMatch(/"code":"DATABASE_\w+","message":"[^"]+[^\n]*The figures for the metrics could not be read/);
});

test('a gateway that others can reach shows neither money nor sources on its port', async () => {
  const gateway = await serve(
    'http: { trustProxy: true }\nsources: [{ name: inbox, protocol: local, folder: inbox }]',
  );
  onTestFinished(() => gateway.close());
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(text).toContain('recon_database_up 1');
  expect(text).toContain('process_resident_memory_bytes ');
  expect(text).not.toMatch(/inbox|^recon_items\{|^recon_run_active/m);
});
