import type { CronPart } from '../cron.js';
import { declareFields, each, optional } from '../field.js';
import { digits, oneOf, text, timestamp, type FieldType } from '../field-type.js';

const units = oneOf('YEAR', 'MONTH', 'WEEK', 'DAY', 'HOUR', 'MINUTE', 'SECOND');
const cron = (part: CronPart): FieldType => ({ kind: 'cron', part, max: 64 });
const dayNote = 'defaults to `?` when the other day field is sent';

/** Scheduling of subscription payments (catalogue 2.24). */
export const jobFields = declareFields(
  { section: 'catalogue 2.24', prefix: 'job.', kinds: ['job'] },
  {
    name: optional(text(64)),
    year: optional(cron('year'), { fallback: '*' }),
    month: optional(cron('month'), { fallback: '1' }),
    dayOfMonth: optional(cron('dayOfMonth'), { fallback: '1', note: dayNote }),
    dayOfWeek: optional(cron('dayOfWeek'), { fallback: '1', note: dayNote }),
    hour: optional(cron('hour'), { fallback: '0' }),
    minute: optional(cron('minute'), { fallback: '0' }),
    second: optional(cron('second'), { fallback: '0' }),
    ...each(['startDate', 'endDate'], optional(timestamp)),
    noticeUnit: optional(units),
    noticeNumber: optional(digits(16)),
    noticeCallable: optional(oneOf('ANYTIME', 'DURATION_END')),
    durationUnit: optional(units),
    durationNumber: optional(digits(16)),
    expression: optional({ kind: 'cron expression', max: 256 }),
    misfirePolicy: optional(oneOf('all', 'latest', 'none'), {
      note: 'an extension of this core: which missed fires are made; default `latest`',
    }),
  },
);
