import { AgentError } from '../agent-error.ts'
import { KUBELET_BINARY } from '../paths.ts'
import type { Resource } from '../resources/kind.ts'
import { kubeletBinary } from '../resources/kubelet-binary.ts'
import type { KubeletTarget, LayoutInput } from './layout.ts'

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
  return [kubeletBinary.of({ path, staged, artifact })]
}
