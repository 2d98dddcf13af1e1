import type { Artifact, ArtifactSource } from '../../protocol/host-document.ts'
import { AgentError } from '../agent-error.ts'

/** @returns what this machine downloads. @throws {AgentError} when there is nothing for its architecture */
export function artifactFor(
  { url, sha256 }: ArtifactSource,
  { arch, what }: { readonly arch: string; readonly what: string },
): Artifact {
  const found = typeof sha256 === 'string' ? sha256 : sha256[arch]
  if (found !== undefined) return { url: url.replaceAll(ARCH, arch), sha256: found }
  throw new AgentError(`bring "${what}" onto the host: it has no checksum for ${arch}`, {
    kind: 'validate',
    reason: 'VersionNotAvailable',
  })
}

const ARCH = /\{\{\s*arch\s*\}\}/g
