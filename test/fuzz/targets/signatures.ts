import { parseAllowedSigners } from '../../../src/gitsync/signatures/allowed-signers.ts'
import { verifyCommit, verifyTag } from '../../../src/gitsync/signatures/verify-object.ts'
import { signingKeys, trusting } from '../../gitsync/signature-fixture.ts'
import { refuses } from './expected.ts'

const NOW = Date.parse('2026-10-01T00:00:00Z')
const TAG = { name: 'v1', commit: '1'.repeat(40) }
let trust: ReturnType<typeof trusting> | undefined

/** A commit or a tag of somebody who may push, and a file of keys. Whatever it is, there is a verdict. */
export async function signatures(input: Buffer): Promise<void> {
  trust ??= trusting(signingKeys(), NOW)
  await verifyCommit(input, await trust)
  await verifyTag(input, TAG, await trust)
  refuses(['Error'], () => parseAllowedSigners(input.toString()))
}
