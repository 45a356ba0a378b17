import { isNamedCode } from '../secrets/security-codes.js';
import { leaveOut, longestText, textOf, textOfShape, type Absent, type Report } from './answer-fields.js';
import { isObject } from '../../values/is-object.js';

const mostDetails = 100;

/** The result details of a connector's answer: texts with names, without security codes. */
export function readResultDetails(value: unknown, report: Report): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) {
    leaveOut(value, 'resultDetails', 'is not an object with texts', report);
    return {};
  }
  const all = Object.entries(value);
  if (all.length > mostDetails)
    report('resultDetails', `has more than ${mostDetails} entries; the rest left out`);
  const details: Record<string, string> = {};
  for (const [name, detail] of all.slice(0, mostDetails)) {
    const text = readDetail(name, detail, report);
    if (typeof text === 'string') details[name] = text;
  }
  return details;
}

function readDetail(name: string, detail: unknown, report: Report): string | Absent {
  if (!/^[A-Za-z0-9._]{3,64}$/.test(name)) {
    report('resultDetails', 'has a name that is not 3 to 64 letters, digits, dots and underscores; left out');
    return undefined;
  }
  const field = `resultDetails.${name}`;
  if (isNamedCode(name, detail)) {
    report(field, 'is a security code; left out');
    return undefined;
  }
  if (name !== 'MerchantAdviceCode') return textOf(detail, field, longestText, report);
  return textOfShape(detail, { field, shape: /^\d{1,2}$/, reason: 'is not up to 2 digits' }, report);
}
