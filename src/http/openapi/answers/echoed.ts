import {
  describeParameters,
  requestKinds,
  type EchoedStructures,
  type EchoedValues,
  type ParameterDescription,
} from '../../../payment-core/index.js';
import { describeInWords } from '../../describe-in-words.js';
import { component, objectOf, recordOf, text, type Described, type Schema } from '../described.js';

/**
 * What an answer repeats of a request, made from the field catalogue: `cart.items[n].name` is the member `name` of a
 * list `items` in `cart`. Secrets are never repeated.
 */
const echoed: ReadonlyMap<string, ParameterDescription> = new Map(
  requestKinds
    .filter((kind) => kind !== 'query' && kind !== 'reporting')
    .flatMap((kind) => describeParameters(kind))
    .filter(({ isSecret }) => !isSecret)
    .map((parameter) => [parameter.name, parameter]),
);

type Tree = Map<string, Tree | ParameterDescription>;

/** Steps of a path that stand for the places of a list, for the names that the sender chooses, and for the schemes. */
const [eachPlace, eachKey, eachScheme] = ['[n]', '[key]', '<scheme>'];

function pathOf(name: string): readonly string[] {
  const [, container, key] = /^(.*)\[([^[\]n][^[\]]*)\]$/.exec(name) ?? [];
  if (container !== undefined && key !== undefined) {
    return [...container.split('.'), key === 'key' ? eachKey : key];
  }
  return name.replaceAll('[n]', `.${eachPlace}`).split('.');
}

function treeOf(prefix: string): Tree {
  const root: Tree = new Map();
  for (const [name, parameter] of echoed) {
    const [first, ...path] = pathOf(name);
    if (first !== prefix) continue;
    let branch = root;
    for (const step of path.slice(0, -1)) {
      const next = branch.get(step);
      const deeper: Tree = next instanceof Map ? next : new Map<string, Tree | ParameterDescription>();
      branch.set(step, deeper);
      branch = deeper;
    }
    branch.set(path.at(-1) ?? '', parameter);
  }
  return root;
}

function schemaOf(node: Tree | ParameterDescription, description: string): Schema {
  if (!(node instanceof Map)) return valueOf(node);
  const places = node.get(eachPlace);
  if (places !== undefined) {
    const { schema, components } = schemaOf(places, '');
    return { schema: { type: 'array', items: schema }, components };
  }
  const keyed = node.get(eachKey) ?? node.get(eachScheme);
  if (keyed !== undefined) return recordOf(description, schemaOf(keyed, ''));
  const members = [...node].map(([name, child]) => [name, schemaOf(child, '')] as const);
  return objectOf(description, Object.fromEntries(members));
}

/**
 * As it was sent: a text. Only its codes are listed. A card number in a free text is truncated before it is stored, so
 * that the text no longer has the form that a request needs.
 */
function valueOf(parameter: ParameterDescription): Described<string> {
  const { enum: codes, examples } = parameter.schema;
  return text(describeInWords(parameter), {
    ...(codes === undefined ? {} : { enum: codes }),
    ...(examples === undefined ? {} : { examples }),
  });
}

/** A group of the parameters of a request that an answer repeats, as a component. */
export function echoedGroup<Group extends object>(
  prefix: string,
  name: string,
  description: string,
): Described<Group> {
  return component(name, schemaOf(treeOf(prefix), description));
}

/** A single parameter of a request that an answer repeats. */
export function echoedValue(name: string): Described<string> {
  const parameter = echoed.get(name);
  if (parameter === undefined) throw new Error(`${name} is not a parameter`);
  return valueOf(parameter);
}

const group = <Prefix extends keyof EchoedStructures>(prefix: Prefix, name: string, what: string) =>
  echoedGroup<NonNullable<EchoedStructures[Prefix]>>(prefix, name, `${what}, as the request gave it.`);

/** The groups of parameters that the answer to a payment repeats. */
export const echoedStructures: {
  readonly [Name in keyof EchoedStructures]-?: Described<NonNullable<EchoedStructures[Name]>>;
} = {
  customer: group('customer', 'Customer', 'The shopper'),
  billing: group('billing', 'Billing', 'The billing address'),
  shipping: group('shipping', 'Shipping', 'The shipping address'),
  merchant: group('merchant', 'Merchant', 'The merchant'),
  cart: group('cart', 'Cart', 'The cart'),
  marketPlace: group('marketPlace', 'MarketPlace', 'The sellers'),
  airline: group('airline', 'Airline', 'The tickets'),
  corporate: group('corporate', 'Corporate', 'The company that buys'),
  sender: group('sender', 'Sender', 'The person who pays'),
  recipient: group('recipient', 'Recipient', 'The person whose debt is paid'),
  standingInstruction: group('standingInstruction', 'StandingInstruction', 'The card-on-file instruction'),
  threeDSecure: group('threeDSecure', 'ThreeDSecure', 'The 3D Secure authentication'),
  recurringMigration: group('recurringMigration', 'RecurringMigration', 'The payment that was taken over'),
  bankAccount: group('bankAccount', 'BankAccount', 'The bank account, without its number'),
  customParameters: group(
    'customParameters',
    'CustomParameters',
    'The text of each key of customParameters[key] (a dot belongs to the key)',
  ),
};

/** The single parameters that the answer to a payment repeats. */
export const echoedValues: Readonly<Record<keyof EchoedValues, Described<string>>> = {
  taxAmount: echoedValue('taxAmount'),
  discountAmount: echoedValue('discountAmount'),
  merchantTransactionId: echoedValue('merchantTransactionId'),
  merchantInvoiceId: echoedValue('merchantInvoiceId'),
  merchantMemo: echoedValue('merchantMemo'),
  transactionCategory: echoedValue('transactionCategory'),
  sequence: echoedValue('sequence'),
  numberOfCaptures: echoedValue('numberOfCaptures'),
  promotionCode: echoedValue('promotionCode'),
  locale: echoedValue('locale'),
  transactionLinkId: echoedValue('transactionLinkId'),
  lifecycleId: echoedValue('lifecycleId'),
  transactionProcessingCode: echoedValue('transactionProcessingCode'),
  transactionDueDate: echoedValue('transactionDueDate'),
};
