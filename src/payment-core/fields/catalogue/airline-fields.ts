import { conditional, declareFields, each } from '../field.js';
import { amount, country, date, text } from '../field-type.js';
import { purchaseKinds } from '../request-kinds.js';

const section = { section: 'catalogue 2.18', kinds: purchaseKinds } as const;
const words = conditional(text(255));

/** Airline, with passengers and their legs (catalogue 2.18). */
export const airlineFields = [
  ...declareFields(
    { ...section, prefix: 'airline.' },
    {
      ...each(['totalTaxAmount', 'totalFeesAmount', 'totalFareAmount'], conditional(amount)),
      ticketIssueDate: conditional(date),
      ...each(
        [
          ...(['ticketIssueAddress', 'thirdPartyBooking', 'bookingtype', 'ticketDeliveryMethod'] as const),
          ...(['bookingRefNum', 'agentName', 'agentCode'] as const),
        ],
        words,
      ),
    },
  ),
  ...declareFields(
    { ...section, prefix: 'airline.passengers[n].' },
    {
      ...each(
        [
          ...(['type', 'name', 'ticketRestricted', 'ticketNumber', 'status', 'phone'] as const),
          ...(['frequentFlyerNumber', 'email', 'dob', 'checkDigit'] as const),
        ],
        words,
      ),
      residenceCountry: conditional(country('alpha-2')),
    },
  ),
  ...declareFields(
    { ...section, prefix: 'airline.passengers[n].legs[n].' },
    {
      ...each(
        [
          ...(['ticketNumber', 'stopOverAllowed', 'restrictions', 'flightNumber', 'fareBasis'] as const),
          ...(['exchangeTicketNum', 'departureCountry', 'departureAirport', 'airlineName'] as const),
          ...(['airlineCode', 'departureTime', 'arrivalCountry', 'arrivalAirport', 'arrivalTime'] as const),
          ...(['couponNumber', 'classOfService', 'carrierCode'] as const),
        ],
        words,
      ),
      ...each(['taxAmount', 'feesAmount', 'fareAmount', 'departureTaxAmount'], conditional(amount)),
      ...each(['departureDate', 'arrivalDate'], conditional(date)),
      timeToDeparture: conditional(text(10), { note: 'days' }),
    },
  ),
];
