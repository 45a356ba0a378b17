import type { Route } from './call.js';
import type { DescribedRoute } from './openapi/described-route.js';
import { chargebackRoutes } from './routes/chargeback-routes.js';
import { checkoutRoutes } from './routes/checkout-routes.js';
import { documentRoutes } from './routes/document-routes.js';
import { openRoutes } from './routes/open-routes.js';
import { paymentRoutes } from './routes/payment-routes.js';
import { queryRoutes } from './routes/query-routes.js';
import { registrationRoutes } from './routes/registration-routes.js';
import { reportRoutes } from './routes/report-routes.js';
import { scheduleRoutes } from './routes/schedule-routes.js';
import { simulatorRoutes } from './widget/simulator-routes.js';
import { widgetRoutes } from './widget/widget-routes.js';

/** The paths that programs use. The version of a resource is part of its path. */
export const programRoutes: readonly DescribedRoute[] = [
  ...paymentRoutes,
  ...registrationRoutes,
  ...checkoutRoutes,
  ...queryRoutes,
  ...reportRoutes,
  ...scheduleRoutes,
  ...chargebackRoutes,
  ...openRoutes,
];

/** Pages for the browser of a shopper, which only the script of a checkout and the simulator open. */
export const browserRoutes: readonly Route[] = [...widgetRoutes, ...simulatorRoutes];

/** Every path of the gateway over the payment core (design 10), and the documents that describe them. */
export const routes: readonly Route[] = [
  ...programRoutes,
  ...documentRoutes(programRoutes),
  ...browserRoutes,
];

/** `GET, HEAD, POST, OPTIONS`: what a path allows, as the `Allow` header has it. */
export function allowedMethods(path: string): readonly string[] {
  const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).concat('OPTIONS');
}
