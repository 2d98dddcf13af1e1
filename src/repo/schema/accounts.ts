import * as z from 'zod'
import { ACCOUNT_NAME } from '../../protocol/host-document.ts'
import { absolutePath } from './common.ts'

const accountName = z
  .string()
  .regex(ACCOUNT_NAME, 'expected a name of lower-case letters, digits, "-" and "_", at most 32 long, and not "root"')
const numericId = z
  .int()
  .min(1)
  .max(2 ** 31)
/** With options in front, as sshd(8) has them: words with commas between, and values in quotes. */
const SSH_KEY =
  /^(?:[a-zA-Z0-9-]+(?:="(?:[^"\\\n\r]|\\[^\n\r])*")?(?:,[a-zA-Z0-9-]+(?:="(?:[^"\\\n\r]|\\[^\n\r])*")?)* )?(?:ssh-|ecdsa-|sk-)[a-z0-9@.-]+ [A-Za-z0-9+/=]+(?: [^\n\r]*)?$/

const group = z.strictObject({
  name: accountName,
  gid: numericId.exactOptional().describe('Default: the next that is free.'),
  system: z.boolean().exactOptional().describe('Its number is one of those for services. Default: false.'),
})

const user = z.strictObject({
  name: accountName,
  uid: numericId.exactOptional().describe('Default: the next that is free.'),
  group: accountName.exactOptional().describe('Primary group of a new account. Default: one with the name of the account.'),
  groups: z.array(accountName).max(100).exactOptional().describe('All supplementary groups. Default: unchanged.'),
  system: z.boolean().exactOptional().describe('Its number is one of those for services. Default: false.'),
  shell: absolutePath.exactOptional().describe('Default: unchanged, "/usr/sbin/nologin" for a new account.'),
  home: absolutePath.exactOptional().describe('Where the home directory is; it is not made. Default: unchanged.'),
  sshKeys: z
    .array(z.string().regex(SSH_KEY, 'expected a public key as in authorized_keys, such as "ssh-ed25519 AAAA… name"'))
    .max(100)
    .exactOptional()
    .describe('Public keys in /etc/ssh/authorized_keys.d/NAME; options may stand in front, such as restrict,from="10.0.0.0/8".'),
})

/** Who has an account on a host. */
export const accounts = {
  groups: z.array(group).max(1000).exactOptional().describe('Groups of accounts.'),
  users: z.array(user).max(1000).exactOptional().describe('Accounts.'),
}
