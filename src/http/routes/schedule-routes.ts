import {
  refusedName,
  type JobResponse,
  type ParameterError,
  type PaymentCore,
} from '../../payment-core/index.js';
import { answerOf, answerOfRead, answerWithRegistration, isNotFound } from '../answers.js';
import type { Answer } from '../call.js';
import type { DescribedRoute } from '../openapi/described-route.js';
import { newScheduleAnswers, scheduleAnswers, type ScheduleAnswer } from '../openapi/answers/schedule.js';
import { everywhereParameters, plannedRegistration } from '../own-parameters.js';

const schedules = '/scheduling/v1/schedules';

const missingRegistration: ParameterError = {
  name: 'registrationId',
  value: null,
  message: 'registrationId is required',
};

/** Planned payments with a registration (catalogue 2.24); the core calls them jobs. */
export const scheduleRoutes: readonly DescribedRoute[] = [
  {
    method: 'POST',
    path: schedules,
    summary: 'Plan payments with a registration',
    kind: 'job',
    body: { name: 'ScheduleRequest', own: [plannedRegistration], needs: ['amount', 'currency'] },
    answers: newScheduleAnswers,
    access: ['payments'],
    parameters: 'route',
    answer: async ({ core, parameters, caller }) => {
      const { registrationId, ...rest } = parameters;
      // No registration has an empty id, so that nothing is stored, and the other violations are found.
      const job = await core.jobs.create(registrationId ?? '', withoutAction(rest, 'SD'), caller);
      const { code, parameterErrors = [] } = job.result;
      const isChecked = isNotFound(job) || code === '200.300.404';
      if (registrationId !== undefined && isNotFound(job)) return answerWithRegistration(core, job);
      if (registrationId !== undefined || !isChecked) return answerOfJob(core, job);
      return { status: 400, body: core.refuse('200.300.404', [missingRegistration, ...parameterErrors]) };
    },
  },
  {
    method: 'GET',
    path: `${schedules}/:id`,
    summary: 'Read a schedule',
    answers: scheduleAnswers,
    access: ['payments', 'reports'],
    parameters: 'none',
    answer: async ({ core, id, caller }) => {
      const job = await core.jobs.get(id, caller);
      return job.status === undefined ? answerOfRead(core, job, false) : answerOfJob(core, job);
    },
  },
  {
    method: 'DELETE',
    path: `${schedules}/:id`,
    summary: 'End a schedule',
    answers: scheduleAnswers,
    access: ['payments'],
    parameters: 'none',
    answer: async ({ core, id, caller }) => answerOfJob(core, await core.jobs.delete(id, caller)),
  },
  {
    method: 'POST',
    path: `${schedules}/:id/reschedule`,
    summary: 'Change a schedule',
    kind: 'job',
    body: { name: 'ScheduleChangeRequest', isPartial: true },
    answers: scheduleAnswers,
    access: ['payments'],
    parameters: 'route',
    answer: async ({ core, id, parameters, caller }) =>
      answerOfJob(core, await core.jobs.update(id, withoutAction(parameters, 'RS'), caller)),
  },
  {
    method: 'POST',
    path: `${schedules}/:id/deschedule`,
    summary: 'End a schedule',
    body: { name: 'ScheduleEndRequest', own: everywhereParameters },
    answers: scheduleAnswers,
    access: ['payments'],
    parameters: 'route',
    answer: async ({ core, id, parameters, caller }) => {
      const { entityId: _entity, testMode: _mode, ...rest } = withoutAction(parameters, 'DS');
      const errors = Object.keys(rest).map((name) => refusedName(name));
      if (errors.length > 0) return { status: 400, body: core.refuse('200.300.404', errors) };
      return answerOfJob(core, await core.jobs.delete(id, caller));
    },
  },
];

/** Clients name the action as a payment type (SD schedules, RS reschedules, DS ends), which the path says already. */
function withoutAction(
  parameters: Readonly<Record<string, string>>,
  action: string,
): Readonly<Record<string, string>> {
  const { paymentType, ...rest } = parameters;
  return paymentType === action ? rest : parameters;
}

/** Clients read `plan.active`. */
function answerOfJob(core: PaymentCore, job: JobResponse): Answer {
  const answer = answerOf(core, job);
  if (job.status === undefined) return answer;
  const body: ScheduleAnswer = { ...job, plan: { active: job.status === 'active' } };
  return { ...answer, body };
}
