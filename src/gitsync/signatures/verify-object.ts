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

/** @param object a commit as it is stored */
export async function verifyCommit(object: Buffer, trust: Trust): Promise<Verdict> {
  const split = splitCommit(object)
  if (!split) return refused('it has not the form that Git gives to a commit with at most one signature')
  return verify(split, { ...trust, madeAt: parseCommit(object).committedAt })
}

/** @param name of the tag that was asked for: an object that was signed as another one says nothing of it */
export async function verifyTag(object: Buffer, name: string, trust: Trust): Promise<Verdict> {
  const split = splitTag(object)
  if (!split) return refused('it has not the form that Git gives to a tag of a commit')
  if (split.name !== name) return refused(`it was made as tag "${split.name}"`)
  return verify(split, { ...trust, madeAt: trust.now })
}

async function verify({ payload, signature }: SignedObject, { keys, now, madeAt }: Trust & { readonly madeAt: number }) {
  if (signature === undefined) return refused('it is not signed')
  if (signature.startsWith('-----BEGIN SSH SIGNATURE-----'))
    return verifySsh({ payload, signature, signers: keys.signers, instants: [now, madeAt] })
  if (signature.startsWith('-----BEGIN PGP SIGNATURE-----')) return verifyPgp({ payload, signature, keys: keys.pgp, now })
  return refused('its signature is neither of OpenPGP nor of SSH')
}
