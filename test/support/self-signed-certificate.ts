import { createSign, generateKeyPairSync } from 'node:crypto';

/**
 * A self-signed certificate for 127.0.0.1 and localhost. Node can read certificates but not make them, and the tests
 * need no openssl: this is the small part of DER that one needs.
 */
export function selfSignedCertificate(
  name = 'localhost',
  days = 2,
  { hasAddress = true }: { hasAddress?: boolean } = {},
): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const algorithm = sequence(objectId('1.2.840.113549.1.1.11'), Buffer.from([0x05, 0x00]));
  const subject = sequence(tagged(0x31, sequence(objectId('2.5.4.3'), tagged(0x0c, Buffer.from(name)))));
  const now = Date.now();
  const validity = sequence(utcTime(now - 86_400_000), utcTime(now + days * 86_400_000));
  const address = hasAddress ? [tagged(0x87, Buffer.from([127, 0, 0, 1]))] : [];
  const alternatives = sequence(tagged(0x82, Buffer.from(name)), ...address);
  const extensions = sequence(
    sequence(objectId('2.5.29.19'), tagged(0x04, sequence(Buffer.from([0x01, 0x01, 0xff])))),
    sequence(objectId('2.5.29.17'), tagged(0x04, alternatives)),
  );
  const body = sequence(
    tagged(0xa0, Buffer.from([0x02, 0x01, 0x02])),
    Buffer.from([0x02, 0x01, 0x01]),
    algorithm,
    subject,
    validity,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, extensions),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const der = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

let usual: { key: string; cert: string } | undefined;

/** One for `localhost` that all servers of a test file share: making one takes long. */
export function usualCertificate(): { key: string; cert: string } {
  usual ??= selfSignedCertificate();
  return usual;
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 128
      ? Buffer.from([length])
      : length < 256
        ? Buffer.from([0x81, length])
        : Buffer.from([0x82, length >> 8, length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), size, content]);
}

const sequence = (...parts: Buffer[]) => tagged(0x30, Buffer.concat(parts));

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = rest.flatMap((part) => {
    const digits = [part & 0x7f];
    for (let high = part >> 7; high > 0; high >>= 7) digits.unshift((high & 0x7f) | 0x80);
    return digits;
  });
  return tagged(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

function utcTime(epochMs: number): Buffer {
  const text = new Date(epochMs).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return tagged(0x17, Buffer.from(`${text}Z`));
}
