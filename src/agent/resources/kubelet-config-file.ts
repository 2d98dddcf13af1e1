import { parse } from 'yaml'
import { canonicalJson, type Json } from '../../protocol/digest.ts'
import { type ActualFile, readRegular } from './regular-file.ts'
import type { ResourceKind } from './resource.ts'

export interface ConfigFileSpec {
  readonly path: string
  readonly document: Json
  /** The document as it is written when the file does not mean the same already. */
  readonly text: string
}

/** Compared by meaning: comments, order and the form of the YAML are no reason to restart a kubelet. */
export const kubeletConfigFile: ResourceKind<ConfigFileSpec, ActualFile | undefined> = {
  name: 'kubelet-config-file',
  observe: ({ files }, { path }) => readRegular(files, path),
  difference: ({ path, document, text }, actual) => {
    if (actual && meansTheSame(actual.bytes, document)) return undefined
    return { kind: 'write', path, bytes: Buffer.from(text), ...(actual ? {} : { mode: 0o644 }) }
  },
}

function meansTheSame(bytes: Uint8Array, document: Json): boolean {
  try {
    return canonicalJson(parse(Buffer.from(bytes).toString()) as Json) === canonicalJson(document)
  } catch {
    return false
  }
}
