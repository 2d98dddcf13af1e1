import { foreignText } from '../../protocol/foreign-text.ts'
import { parseCommit } from '../commit-object.ts'
import { verifyPgp } from './pgp-signature.ts'
import { type SignedObject, splitCommit, splitTag } from './signed-object.ts'
import { verifySsh } from './ssh-signature.ts'
import type { TrustedKeys } from './trusted-keys.ts'
import { refused, type Verdict } from './verdict.ts'

export interface Trust {
  readonly keys: TrustedKeys
  readonly now: number
}

/** Characters of the name of a tag, in a message about it. */
const SHOWN = 80

/** @param object a commit as it is stored */
export async function verifyCommit(object: Buffer, trust: Trust): Promise<Verdict> {
  const split = splitCommit(object)
  if (!split) return refused('it has not the form that Git gives to a commit with at most one signature')
  return verify(split, { ...trust, madeAt: parseCommit(object).committedAt })
}

/** @param asked what it was followed as, and to: an object that was signed as another tag says nothing of this one */
export async function verifyTag(
  object: Buffer,
  asked: { readonly name: string; readonly commit: string },
  trust: Trust,
): Promise<Verdict> {
  const split = splitTag(object)
  if (!split) return refused('it has not the form that Git gives to a tag of a commit')
  if (split.name !== asked.name) return refused(`it was made as tag "${foreignText(split.name, SHOWN)}"`)
  if (split.commit !== asked.commit) return refused(`it is of commit "${split.commit}"`)
  return verify(split, { ...trust, madeAt: trust.now })
}

async function verify({ payload, signature }: SignedObject, { keys, now, madeAt }: Trust & { readonly madeAt: number }) {
  if (signature === undefined) return refused('it is not signed')
  if (signature.startsWith('-----BEGIN SSH SIGNATURE-----'))
    return verifySsh({ payload, signature, signers: keys.signers, instants: [now, madeAt] })
  if (signature.startsWith('-----BEGIN PGP SIGNATURE-----')) return verifyPgp({ payload, signature, keys: keys.pgp, now })
  return refused('its signature is neither of OpenPGP nor of SSH')
}
