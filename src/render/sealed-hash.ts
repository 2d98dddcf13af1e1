import { createHmac, randomBytes } from 'node:crypto'

/** Of this process alone: who sees two hashes of one plan learns whether the values are equal, and can try nothing out. */
const KEY = randomBytes(32)

/** For what nobody here can decrypt. Another process makes other hashes. */
export function sealedHash(text: string): string {
  return `sealed:${createHmac('sha256', KEY).update(text).digest('hex').slice(0, 32)}`
}
