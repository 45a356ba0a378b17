import type { Alert } from './alert.js';

/** An alert in words. */
export interface Composed {
  readonly subject: string;
  readonly text: string;
}

const stateWords: Readonly<Record<Alert['state'], string>> = {
  raised: 'PROBLEM',
  recovered: 'RECOVERED',
  test: 'TEST',
};

/** The name of a file may contain line breaks, and a subject is one line. */
const oneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f\s]+/g, ' ').trim();

/** Subject and text of a mail about several alerts. Pure. */
export function composeMail(alerts: readonly Alert[]): Composed {
  const [first] = alerts;
  const raised = alerts.filter(({ state }) => state === 'raised').length;
  const subject =
    alerts.length === 1 && first !== undefined
      ? `${stateWords[first.state]}: ${first.message}`
      : `new problems: ${raised}, recovered: ${alerts.length - raised}`;
  const lines = alerts.map((alert) => {
    const since = alert.state === 'recovered' ? `\n  It began at ${alert.since}.` : '';
    return `${stateWords[alert.state]}  ${alert.at}  ${alert.kind}\n  ${oneLine(alert.message)}${since}`;
  });
  const page = alerts.find((alert) => alert.page !== null)?.page;
  const report = page === undefined || page === null ? [] : [`Report: ${page}`];
  return {
    subject: `recon: ${oneLine(subject).slice(0, 150)}`,
    text: `${[...lines, ...report, 'Sent once for each change. `recon alerts list` shows what holds at present.'].join('\n\n')}\n`,
  };
}
