import type { Artifact } from '../../protocol/host-document.ts'
import { asAgentError } from '../agent-error.ts'
import type { FileStat } from '../ports.ts'
import { defineKind } from './define-kind.ts'
import { giveBackFile } from './file.ts'
import { type FileBaseline, fileBaselines, recaptureUnless } from './file-baseline.ts'
import { type FileChange, fileHands } from './file-hands.ts'
import type { CaptureContext } from './kind.ts'
import { reading, statRegular } from './regular-file.ts'

/** A kubelet has 85 MB today. What is larger than this is something else. */
const MAX_BINARY_BYTES = 512 * 1024 * 1024

export interface BinarySpec {
  readonly path: string
  readonly artifact: Artifact
  /** Where staging puts it. */
  readonly staged: string
}

type BinaryChange = Extract<FileChange, { do: 'install' }> & { readonly artifact: Artifact }

/** Judged by content alone: a version can be built twice. */
export const kubeletBinary = defineKind({
  name: 'kubelet-binary',
  ...fileHands,
  subject: ({ path }: BinarySpec) => path,
  observe: async ({ path }, { files }) => ({
    stat: await statRegular(files, path),
    sha256: await reading(files.sha256(path)),
  }),

  differ: ({ path, artifact, staged }, actual): BinaryChange | undefined => {
    if (actual.sha256 === artifact.sha256 && isExecutable(actual.stat)) return undefined
    return { do: 'install', path, from: staged, mode: 0o755, artifact }
  },

  stage: async ({ artifact, from }: BinaryChange, { ports, signal }) => {
    const options = { maxBytes: MAX_BINARY_BYTES, mode: 0o755, signal }
    await ports.downloads.fetch(artifact, from, options).catch((cause: unknown) => {
      throw asAgentError(cause, { kind: 'download', reason: 'DownloadFailed' })
    })
  },

  baseline: { ...fileBaselines, giveBack: giveBackFile, recapture: recaptureBinary },
})

/** A package manager may have brought another kubelet since: then that one is what the host would have. */
async function recaptureBinary(
  base: FileBaseline,
  { spec, context }: { readonly spec: BinarySpec; readonly context: CaptureContext },
): Promise<FileBaseline> {
  return recaptureUnless(base, { isOurs: (sha256) => sha256 === spec.artifact.sha256, context })
}

function isExecutable(stat: FileStat | undefined): boolean {
  return stat !== undefined && (stat.mode & 0o111) !== 0
}
