import { stringify } from 'yaml'
import { canonicalJson, type Json } from '../../protocol/digest.ts'
import { parseYaml } from '../kubelet/parse-yaml.ts'
import { defineKind } from './define-kind.ts'
import { giveBackFile } from './file.ts'
import { captureFile, contentOf, type FileBaseline, fileBaselines, keepContent } from './file-baseline.ts'
import { type FileChange, fileHands } from './file-hands.ts'
import type { CaptureContext } from './kind.ts'
import { readRegular } from './regular-file.ts'
import { isMapping, theirDocument } from './their-document.ts'

export interface KubeletConfigSpec {
  readonly path: string
  readonly document: Json
  /** The document as it is written when the file does not mean the same already. */
  readonly text: string
}

/** Compared by meaning: comments, order and the form of the YAML are no reason to restart a kubelet. */
export const kubeletConfig = defineKind({
  name: 'kubelet-config',
  ...fileHands,
  subject: ({ path }: KubeletConfigSpec) => path,
  observe: ({ path }, { files }) => readRegular(files, path),
  differ: ({ path, document, text }, actual): FileChange | undefined => {
    if (actual && meansTheSame(readDocument(actual.bytes), document)) return undefined
    return { do: 'write', path, bytes: Buffer.from(text), ...(actual ? {} : { mode: 0o644 }) }
  },
  baseline: { ...fileBaselines, giveBack: giveBackFile, recapture: recaptureConfig },
})

/** `kubeadm upgrade node` rewrites the whole file, an administrator one field: what they changed counts, and what is ours does not. */
async function recaptureConfig(
  base: FileBaseline,
  { spec, context }: { readonly spec: KubeletConfigSpec; readonly context: CaptureContext },
): Promise<FileBaseline> {
  const { files } = context.host
  const actual = await readRegular(files, base.path)
  const now = actual && readDocument(actual.bytes)
  if (actual === undefined || now === undefined || meansTheSame(now, spec.document)) return base
  const before = readDocument((await contentOf(base, files)) ?? new Uint8Array()) ?? {}
  const theirs = theirDocument({ before, ours: spec.document, now }) ?? {}
  if (meansTheSame(theirs, before)) return base
  if (meansTheSame(theirs, now)) return captureFile({ kind: 'kubelet-config', key: base.path }, context)
  const bytes = Buffer.from(stringify(theirs))
  return { ...base, saved: await keepContent(base.path, { bytes, stat: actual.stat, context }) }
}

/** @returns undefined for what is no mapping: the kubelet would not start with it. */
function readDocument(bytes: Uint8Array): Json | undefined {
  try {
    const value: unknown = parseYaml(Buffer.from(bytes).toString()) ?? {}
    return isMapping(value) ? value : undefined
  } catch {
    return undefined
  }
}

function meansTheSame(a: Json | undefined, b: Json): boolean {
  return a !== undefined && canonicalJson(a) === canonicalJson(b)
}
