import { AgentError } from '../agent-error.ts'
import { KUBELET_BINARY, KUBELET_UNIT } from '../paths.ts'
import { kubeletBinary } from '../resources/kubelet-binary.ts'
import { type Resource, resource } from '../resources/resource.ts'
import type { ManagedFile } from '../state/local.ts'
import type { KubeletTarget, LayoutInput } from './layout.ts'

/** A file that the kubelet reads when it starts. */
export function kubeletFile(path: string, variables?: readonly string[]): ManagedFile {
  return { path, restarts: [KUBELET_UNIT], ...(variables === undefined ? {} : { variables: [...variables] }) }
}

/** @throws {AgentError} when the release has no binary for this machine. */
export function binaryTarget({ install, arch, staging }: LayoutInput): KubeletTarget['binary'] {
  if (install.binary === undefined) return undefined
  const artifact = install.binary[arch]
  if (artifact === undefined)
    throw new AgentError(
      `install the kubelet: the release has no binary for "${arch}", only for ${Object.keys(install.binary).join(', ')}`,
      { kind: 'validate', reason: 'NoBinaryForArchitecture' },
    )
  return { path: KUBELET_BINARY, staged: `${staging}/kubelet-${artifact.sha256}`, artifact }
}

export function binaryResources(binary: KubeletTarget['binary']): Resource[] {
  if (binary === undefined) return []
  const { path, staged, artifact } = binary
  return [resource(kubeletBinary, { path, staged, sha256: artifact.sha256 }, { subject: path })]
}
