import { createHash } from 'node:crypto'
import { foreignText } from '../../protocol/foreign-text.ts'
import type { AllowedSigner } from './allowed-signers.ts'
import { readStatement } from './security-key.ts'
import { SshReader, sshString } from './ssh-wire.ts'
import { accepted, refused, type Verdict } from './verdict.ts'

/** What Git signs for: a key that signs files or mails with `ssh-keygen -Y sign` signs no commits with it. */
const NAMESPACE = 'git'
const MAGIC = 'SSHSIG'
const ARMOR = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)\n-----END SSH SIGNATURE-----\n*$/
/** SHA-1 and its like are in no version of the format. */
const HASHES = ['sha256', 'sha512']
/** Characters of what a signature says, in a message about it. */
const SHOWN = 40

export interface SshVerification {
  readonly payload: Buffer
  readonly signature: string
  readonly signers: readonly AllowedSigner[]
  /** All of these: now, and when the object says that it was made. */
  readonly instants: readonly number[]
}

/** Checks a signature that `git commit -S` makes with `gpg.format=ssh` (SSHSIG, version 1). */
export function verifySsh({ payload, signature, signers, instants }: SshVerification): Verdict {
  const parsed = parse(signature)
  if (!parsed) return refused('its SSH signature is damaged')
  const { publicKey, namespace, reserved, hash, ...inner } = parsed
  if (namespace !== NAMESPACE)
    return refused(`its SSH signature is for "${foreignText(namespace, SHOWN)}", not for "${NAMESPACE}"`)
  if (!HASHES.includes(hash))
    return refused(`its SSH signature uses the hash "${foreignText(hash, SHOWN)}"; expected ${HASHES.join(' or ')}`)
  const known = signers.filter(({ key }) => key.blob.equals(publicKey))
  if (known.length === 0) return refused(`no key that is trusted made its SSH signature (SHA256:${fingerprint(publicKey)})`)
  const digest = createHash(hash).update(payload).digest()
  const data = Buffer.concat([Buffer.from(MAGIC), ...[namespace, reserved, hash, digest].map(sshString)])
  const isGood = isTrue(() => known.some(({ key }) => key.verifies(data, inner)))
  if (!isGood) return refused('its SSH signature is not of its content')
  const signer = known.find((candidate) => candidate.mayAt(NAMESPACE, instants))
  if (!signer) return refused(`the key of "${known[0]?.principals}" may not sign commits of that time: ${known[0]?.limits}`)
  return accepted(signer.principals)
}

function parse(signature: string) {
  const [, base64] = ARMOR.exec(signature) ?? []
  if (base64 === undefined) return undefined
  try {
    const reader = new SshReader(Buffer.from(base64.replaceAll('\n', ''), 'base64'))
    const [magic, version] = [reader.bytes(MAGIC.length).toString('latin1'), reader.uint32()]
    const [publicKey, namespace, reserved] = [reader.string(), reader.text(), reader.string()]
    const [hash, inner] = [reader.text(), new SshReader(reader.string())]
    const [algorithm, bytes, statement] = [inner.text(), inner.string(), readStatement(inner)]
    if (magic !== MAGIC || version !== 1 || !reader.isAtEnd || !inner.isAtEnd) return undefined
    return { publicKey, namespace, reserved, hash, algorithm, bytes, statement }
  } catch {
    return undefined
  }
}

function isTrue(judge: () => boolean): boolean {
  try {
    return judge()
  } catch {
    return false
  }
}

/** As `ssh-keygen -l` prints it. */
export function fingerprint(blob: Buffer): string {
  return createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')
}
