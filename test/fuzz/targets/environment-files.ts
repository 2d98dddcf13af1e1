import { patchEnvironmentFile, readEnvironmentFile } from '../../../src/protocol/environment-file.ts'
import { refuses } from './expected.ts'

/** What is changed in a file must be what is read from it, and nothing else may change. */
export function environmentFiles(input: Buffer): void {
  const before = readEnvironmentFile(input)
  // A file that ends inside a quote cannot be added to, and is refused.
  const patched = refuses(['ProtocolError'], () => patchEnvironmentFile(input, { KUBELET_EXTRA_ARGS: '--v=4' }))
  if (!patched) return
  const after = readEnvironmentFile(patched)
  if (after.get('KUBELET_EXTRA_ARGS') !== '--v=4') throw new Error('the variable that was written is not read')
  for (const [name, value] of before)
    if (name !== 'KUBELET_EXTRA_ARGS' && after.get(name) !== value) throw new Error(`variable ${JSON.stringify(name)} changed`)
}
