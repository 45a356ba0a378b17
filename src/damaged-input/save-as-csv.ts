/** What to do about text in another encoding; completes "The file is …: ". */
export const saveAsCsv = 'save it as "CSV UTF-8" with semicolons, or ask the sender for UTF-8';
