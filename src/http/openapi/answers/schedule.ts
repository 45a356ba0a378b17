import type { JobResponse, SkippedFires } from '../../../payment-core/index.js';
import { choice, component, count, flag, object, sometimes, text, type Described } from '../described.js';
import type { Answers } from './answers.js';
import { echoedGroup } from './echoed.js';
import { error, idOf, ofEveryAnswer, stamp } from './error.js';

/** Clients read `plan.active`. */
export interface ScheduleAnswer extends JobResponse {
  readonly plan: { readonly active: boolean };
}

const moment = (description: string) => text(description, { ...stamp.timestamp.schema, description });

const schedule = component(
  'Schedule',
  object<Omit<ScheduleAnswer, 'retryAfterSeconds'>>('Payments that are planned with a registration.', {
    id: idOf('The id of the schedule.'),
    registrationId: idOf('The registration that pays.'),
    status: choice('What becomes of it.', {
      active: 'payments follow',
      ended: 'its last payment was made',
      deleted: 'it was ended on request',
    }),
    plan: object<ScheduleAnswer['plan']>('In short.', { active: flag('Whether payments follow.') }),
    expression: text('When it pays: seven fields, seconds first.', { examples: ['0 0 5 1 * ? *'] }),
    job: sometimes(echoedGroup('job', 'Job', 'The plan, as the request gave it.')),
    paymentType: choice('What it makes.', {
      PA: 'preauthorisations',
      DB: 'debits',
      CD: 'credits',
    }) as Described<string>,
    amount: text('The amount of each payment, with two decimals.', {
      pattern: '^\\d+\\.\\d{2}$',
      examples: ['5.00'],
    }),
    currency: text('The currency of the amount (ISO 4217).', { pattern: '^[A-Z]{3}$', examples: ['EUR'] }),
    nextRunAt: sometimes(moment('When it pays next, in UTC; missing when it will not pay again.')),
    endsAt: sometimes(moment('When it ends, in UTC.')),
    skipped: sometimes(
      object<SkippedFires>('Payments that were missed, and that job.misfirePolicy left out.', {
        fires: count('How many in all.'),
        from: moment('The first of the last gap.'),
        to: moment('The last of the last gap.'),
      }),
    ),
    ...ofEveryAnswer,
  }),
);

/** Of requests about an existing schedule (catalogue 2.24). A schedule that ended is answered too, with its status. */
export const scheduleAnswers: Answers = { 200: schedule };
/** Of a request that names a registration, which may not exist. */
export const newScheduleAnswers: Answers = { ...scheduleAnswers, 404: error };
