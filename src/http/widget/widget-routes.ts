import type { Route } from '../call.js';
import { browserHeaders } from './browser-headers.js';
import { widgetFile } from './widget-files.js';

/** Below the script's own path, so that it finds them wherever a proxy puts the gateway. */
const folder = '/v1/paymentWidgets';

/**
 * The card form. It is a page of this host inside a frame of the merchant's page: the scripts of the merchant cannot
 * read it, and what is typed into it is sent to this host only. Which checkout it pays is in the fragment of its
 * address, which browsers do not send.
 */
export const widgetRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: `${folder}/form`,
    summary: 'Show the card form of a checkout',
    access: 'open',
    parameters: 'none',
    answer: () => ({
      status: 200,
      body: widgetFile('card-form.html'),
      headers: browserHeaders('text/html', {
        'script-src': "'self'",
        'style-src': "'self'",
        'connect-src': "'self'",
        // Without its script the form must not send anything, and above all not in an address.
        'form-action': "'none'",
        // Any merchant may show it.
        'frame-ancestors': '*',
      }),
    }),
  },
  asset('card-form.js', 'text/javascript'),
  asset('card-form.css', 'text/css'),
];

function asset(name: 'card-form.js' | 'card-form.css', type: string): Route {
  return {
    method: 'GET',
    path: `${folder}/${name}`,
    summary: 'Load a part of the card form',
    access: 'open',
    parameters: 'none',
    answer: () => ({ status: 200, body: widgetFile(name), headers: browserHeaders(type) }),
  };
}
