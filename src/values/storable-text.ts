/** Whether PostgreSQL can store a text: it stores no NUL, and half a surrogate pair is not a character. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
