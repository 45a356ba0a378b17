/** What the core does where the documents are ambiguous, contradict themselves or do not say. */
export const fieldDocsChoices: readonly { readonly about: string; readonly choice: string }[] = [
  {
    about: 'Names shown as `{base_url}`.',
    choice:
      'The id of a direct-debit mandate (catalogue 2.4) is `bankAccount.mandate.id`, beside `bankAccount.mandate.dateOfSignature`; the reference to a browser fingerprint (2.6) is `customer.browserFingerprint.id`, beside `customer.browserFingerprint.value`.',
  },
  {
    about: 'Empty values.',
    choice:
      'The shortest length is 1 where the documents give the longest only, since they write 0-15, 0-50 or 0-255 where empty is meant. An empty required parameter is reported as having a wrong value, not as missing.',
  },
  {
    about: 'Letters.',
    choice:
      'In codes, keys and account numbers a letter is A-Z or a-z; in names, cities, states and postcodes it is a letter of any script. "Letters/digits" means no blank and no hyphen, since other rows list them; the city of a shipping address may contain the blanks, hyphens, apostrophes and dots that names of cities have, but no digits.',
  },
  {
    about: 'Country codes.',
    choice:
      'They must exist in ISO 3166-1. "2 letters" takes small letters too; "2 uppercase letters" does not. birthCountry is not looked up, because countries that no longer exist have no code.',
  },
  {
    about: 'Amount and currency of references.',
    choice:
      'The field table says Required, so captures, reversals and refunds send both. In registrations, chargebacks and jobs they are optional and come together.',
  },
  {
    about: 'paymentType.',
    choice:
      'PA, DB and CD are stand-alone (payment, checkout, job); CP, RV and RF reference a payment by the id in the path (kind `reference`) or by referenceUuid (kind `payment`). Registrations and migrations may have RG, chargebacks CB or CR, as in the lists of 2.19 and 2.26.',
  },
  {
    about: 'paymentBrand.',
    choice:
      'Mandatory in payments and registrations unless card.number is sent, from which the brand can be detected; not in checkouts, where the shopper chooses.',
  },
  {
    about: 'Structures with required fields.',
    choice:
      'A structure is optional as a whole; its required fields must be sent as soon as any field of it is. A payment without an instrument is valid, because an asynchronous method does not need one.',
  },
  {
    about: 'Payments with a registration.',
    choice:
      'The id of the registration is in the path, so the caller passes `registration: true`; overrideHolder=true without an account number means the same. Then no instrument is required, and any other instrument is refused. The holder and the expiry of the registration take precedence over those that are sent; overrideHolder=true fills in a holder only where the registration has none.',
  },
  {
    about: 'Instruments in references.',
    choice: 'A capture, reversal or refund takes no instrument: the referenced payment has one.',
  },
  {
    about: 'Bank accounts.',
    choice:
      'Number or iban, and bankCode or bic: when both of a pair are missing, both are reported. Sending both is fine. Check digits of account and card numbers are not in the documents and are not verified.',
  },
  {
    about: 'Derived structures.',
    choice:
      'In shipping.customer, merchant.billing and merchant.shipping everything is Optional, so names are not required. Rules between two fields (document type with id, houseNumber2 with houseNumber1, street not a number) apply there too.',
  },
  {
    about: 'Customer names.',
    choice: '"Any other customer parameter" is read literally: customer.ip and customer.browser.* count.',
  },
  {
    about: '3D Secure v2 requested.',
    choice:
      'When threeDSecure.v2.* is sent or threeDSecure.version starts with 2, without the proof of an external server (eci, verificationId, authenticationStatus or dsTransactionId), without disable=true, and not in merchant-initiated payments (3RI, source MIT, mode REPEATED). In an app, threeDSecure.deviceInfo stands for the browser. This does not apply to checkouts: the browser data comes later.',
  },
  {
    about: '3D Secure 2.2.',
    choice:
      'challengeIndicator, exemptionFlag, channel and threeRIInd are refused when threeDSecure.version is below 2.2; without a version they are accepted, since the version is a field of the proof only.',
  },
  {
    about: 'Networks.',
    choice:
      'Which of schemeA to schemeF a brand belongs to is known when paymentBrand is that word, when one threeDSecure.v2.<scheme> is addressed, or by the option `schemeOf`. Rules and defaults of one network apply only when it is known.',
  },
  {
    about: 'INITIAL.',
    choice:
      'Authentication data are card.cvv, a token’s cryptogram or code, a wallet’s token, any threeDSecure.* except disable, or the browser data of a later authentication. Bank and virtual accounts have none and are exempt, in the request and in the registration that pays (option `registeredAccount`); so are checkouts without a card.',
  },
  {
    about: 'REPEATED.',
    choice:
      'Refused are card.cvv, tokenAccount.dtvc and the proof fields except the version; a merchant-initiated authentication (channel or threeRIInd) is not by the shopper, so its proof is accepted.',
  },
  {
    about: 'standingInstruction.expiry and frequency.',
    choice:
      '"Mandatory" for 3D Secure, but the documents also define what happens when they are omitted, so omission is not a violation. For schemeB the defaults 9999-12-31 and 0001 are filled in for RECURRING and INSTALLMENT.',
  },
  {
    about: 'initialTransactionId.',
    choice:
      'Required with source MIT when a card or token number is sent; agreementId (the documents: "afterwards only agreementId") or referenceUuid may replace it.',
  },
  {
    about: 'Days of a job.',
    choice:
      'Both day fields default to 1, but both together are not supported. Only sent fields are checked: if both are sent, exactly one must be `?`. The default is the first of the month. A day field that is not sent becomes `?`, or 1 when the other one is `?`.',
  },
  {
    about: 'job.minute.',
    choice:
      'A number only, as its row says; in job.expression, which is a cron expression, a minute may have the usual symbols. The expression always overwrites the fields.',
  },
  {
    about: 'Lists of codes.',
    choice:
      'paymentTypes and paymentMethods are separated by commas without blanks. Empty codes are refused.',
  },
  {
    about: 'Ranges of dates.',
    choice: 'date.from after date.to is refused in queries too; the violation is reported for date.to.',
  },
  {
    about: 'testMode in live.',
    choice:
      'validateParameters reports a violation of testMode. An operation declines such a request with 600.200.701 before all other checks. Queries and reports have no test mode.',
  },
  {
    about: 'URLs.',
    choice:
      'Checked after decoding: absolute, with any scheme that an app may register, but not javascript, data, vbscript, file or blob.',
  },
  {
    about: 'Types that contradict their rows.',
    choice:
      'cart.items[n].discount is N13 although described as a percentage; giftCard.type is AN16 but SEASONS_GREETINGS has 17 characters and is accepted; _DELAYED_SHIPMENT is accepted with and without its underscore; the mandate id contains letters and hyphens only; fields without a length take 255 characters, provider tokens 65536.',
  },
  {
    about: 'Expired cards.',
    choice: 'Refused only when the caller gives `today`: a card is valid until the end of its month.',
  },
  {
    about: 'Chargebacks of the back office.',
    choice:
      'Take referencedPaymentId (operations 2.1), an amount (with currency) and chargebackResultCode, all optional here.',
  },
];
