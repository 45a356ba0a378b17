/** @import { ListedItem } from '../../items/listed-item.js' */

/** A request that the server refused, with the code and advice of its catalogue. */
export class Refusal extends Error {
  /**
   * @param {string | null} code
   * @param {string} message
   * @param {string} advice
   */
  constructor(code, message, advice) {
    super(message);
    this.code = code;
    this.advice = advice;
  }
}

/**
 * @param {string} path
 * @param {Record<string, string> | URLSearchParams} [query]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function get(path, query = {}, signal = undefined) {
  const text = new URLSearchParams(query).toString();
  return request(text === '' ? path : `${path}?${text}`, { ...(signal === undefined ? {} : { signal }) });
}

/**
 * @param {string} path
 * @param {unknown} body
 * @returns {Promise<any>}
 */
export function post(path, body) {
  return request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/**
 * @param {string} path
 * @param {RequestInit} init
 * @returns {Promise<any>}
 */
async function request(path, init) {
  let response;
  try {
    response = await fetch(path, init);
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown;
    throw new Refusal(null, 'recon review no longer answers.', 'Start it again and open its new link.');
  }
  const document = await response.json();
  if (response.ok) return document;
  const { code, message, advice } = document.error;
  throw new Refusal(code, message, advice);
}
