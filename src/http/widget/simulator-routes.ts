import { nothingFound } from '../answers.js';
import type { Answer, Call, Route } from '../call.js';
import { browserHeaders } from './browser-headers.js';
import { decidedPage, stepPage } from './simulator-page.js';

/** The page of the simulated bank, where a shopper is sent in test. */
export const simulatorPath = '/v1/simulator/shopper-step';

/**
 * The bank that an asynchronous payment of the simulator redirects its shopper to, so that an integration can be tried
 * from end to end. Only in test: in live there is no simulator, and the core finds no step.
 */
export const simulatorRoutes: readonly Route[] = [
  ...(['GET', 'POST'] as const).map((method): Route => ({
    method,
    path: simulatorPath,
    summary: 'Show the page of the simulated bank',
    access: 'open',
    parameters: 'route',
    answer: showStep,
  })),
  {
    method: 'POST',
    path: `${simulatorPath}/decision`,
    summary: 'Approve or decline at the simulated bank',
    access: 'open',
    parameters: 'route',
    answer: async ({ core, parameters }) => {
      const { paymentId = '', token = '', outcome } = parameters;
      if (outcome !== 'approve' && outcome !== 'decline') return nothingFound(core);
      const step = await core.simulator.decide(paymentId, token, outcome);
      if (step === undefined) return nothingFound(core);
      return {
        status: 303,
        body: '',
        headers: { location: step.returnUrl, 'referrer-policy': 'no-referrer' },
      };
    },
  },
];

async function showStep({ core, parameters }: Call): Promise<Answer> {
  const { paymentId = '', token = '' } = parameters;
  const step = await core.simulator.findStep(paymentId, token);
  if (step === undefined) return nothingFound(core);
  const headers = browserHeaders('text/html', {
    'style-src': "'self'",
    // Browsers check it for the redirect after the decision as well.
    'form-action': `'self' ${sourceOf(new URL(step.returnUrl))}`,
    'frame-ancestors': "'none'",
  });
  return { status: 200, body: step.isOpen ? stepPage(step, token) : decidedPage(step), headers };
}

/** An app that is opened by its own scheme has no origin. */
const sourceOf = ({ origin, protocol }: URL) => (origin === 'null' ? protocol : origin);
