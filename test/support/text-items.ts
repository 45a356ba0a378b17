import { itemFields, itemOfText, type TextItem } from '../../src/findings/item-texts.js';
import type { Item } from '../../src/findings/open-item.js';
import { nullMark, valueMark } from '../../src/values/row-texts.js';

/** An item as it comes from the server: marked values, or JSON where a text has the mark. */
export function textItem(item: Item): TextItem {
  const values = itemFields.map((field) => `${item[field] ?? nullMark}`);
  const isJson = values.some((value) => value.includes(valueMark));
  return itemOfText(isJson ? JSON.stringify(values) : values.map((value) => `${valueMark}${value}`).join(''));
}

/** The same item as an object of its fields alone. */
export function plainItem(item: Item): Item {
  return Object.fromEntries(itemFields.map((field) => [field, item[field]])) as unknown as Item;
}
