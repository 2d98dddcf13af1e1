import { patchEnvironmentFile, readEnvironmentFile } from '../../protocol/environment-file.ts'
import { type ActualFile, readRegular } from './regular-file.ts'
import type { ResourceKind } from './resource.ts'

export type Variables = Readonly<Record<string, string | undefined>>

export interface EnvironmentSpec {
  readonly path: string
  /** Our variables as they should be; undefined: not in the file. The rest of the file belongs to others. */
  readonly variables: Variables
  /** The file as it was before we first touched it; undefined: there was none. */
  readonly original: Uint8Array | undefined
  /** That go with the file, should nothing be left in it. */
  readonly directories?: readonly string[] | undefined
}

export const kubeletEnvironment: ResourceKind<EnvironmentSpec, ActualFile | undefined> = {
  name: 'kubelet-environment',
  observe: ({ files }, { path }) => readRegular(files, path),
  difference: ({ path, variables, original, directories }, actual) => {
    const now = actual?.bytes ?? new Uint8Array()
    if (hasVariables(now, variables)) return undefined
    const bytes = patchEnvironmentFile(withTheirEdits(now, { original, ours: Object.keys(variables) }), variables)
    if (bytes.length === 0 && original === undefined) return actual && { kind: 'remove', path, directories }
    return { kind: 'write', path, bytes, ...(actual ? {} : { mode: 0o644 }) }
  },
}

function hasVariables(bytes: Uint8Array, variables: Variables): boolean {
  const now = readEnvironmentFile(bytes)
  return Object.entries(variables).every(([name, value]) => now.get(name) === value)
}

/**
 * The original, unless somebody else edited the file since: then the file as it is. Made from the original, local values come back as
 * the local bytes, with the quotes and spaces that stood there; and nobody's edit is lost.
 */
export function withTheirEdits(
  now: Uint8Array,
  { original = new Uint8Array(), ours }: { readonly original: Uint8Array | undefined; readonly ours: readonly string[] },
): Uint8Array {
  const found = readEnvironmentFile(now)
  const values = Object.fromEntries(ours.map((name) => [name, found.get(name)]))
  return Buffer.compare(patchEnvironmentFile(original, values), now) === 0 ? original : now
}
