import type { NodeContent } from '../../protocol/digest.ts'
import type { Artifact, KubeletInstall, KubeletLayout } from '../../protocol/host-document.ts'
import type { JsonObject } from '../../protocol/merge-patch.ts'
import type { Resource } from '../resources/kind.ts'
import type { ServiceManagerName } from '../service-managers.ts'
import type { Claim } from '../state/managed.ts'

/** How a kubelet is installed on a host: which files say what it runs with. Pure: what is on the host comes in as texts. */
export interface Layout {
  readonly name: KubeletLayout
  /** What it touches for this content, and nothing else. */
  managed(input: LayoutInput): readonly Claim[]
  /** @throws {AgentError} when the content cannot be laid out on this host. */
  target(input: LayoutInput, texts: HostTexts): KubeletTarget
  /** Files whose text `target` asks for, as far as `known` says: a file may name another one. */
  reads(input: LayoutInput, known: HostTexts): readonly string[]
}

export interface LayoutInput {
  readonly content: NodeContent
  readonly install: KubeletInstall
  /** `amd64`, `arm64` */
  readonly arch: string
  /** Where binaries are downloaded to. */
  readonly staging: string
  readonly facts: LayoutFacts
}

/** What the host itself says of its layout. */
export interface LayoutFacts {
  /** Of the env layout. */
  readonly environmentFile: string
  /** Where this host's package keeps KUBELET_EXTRA_ARGS. */
  readonly extraArgsFile: string
  readonly manager: ServiceManagerName
  /** Variables of flags that the script of the kubelet's service does not use. */
  readonly unusedVariables: readonly string[]
}

export interface HostTexts {
  /** Before nodewave touched it; as it is now, when it never was touched. */
  readonly local: ReadonlyMap<string, Uint8Array>
  readonly current: ReadonlyMap<string, Uint8Array>
}

/** The kubelet as it should be, and what is needed to try and to judge it. */
export interface KubeletTarget {
  readonly resources: readonly Resource[]
  /** Arguments as the kubelet will get them, without `--config`. */
  readonly args: readonly string[]
  readonly config?: { readonly path: string; readonly text?: string | undefined }
  readonly binary?:
    | {
        /** What is changed to bring it. */
        readonly subject: string
        readonly staged: string
        /** Missing: a package brings it. */
        readonly artifact?: Artifact
      }
    | undefined
  /** The service itself fetches the version that it is to run, so that the binary on this host proves nothing. */
  readonly fetchesVersion: boolean
  /** Its configuration, without what files behind `--config-dir` set. */
  readonly document: JsonObject
  /** What the one that runs now was started with, as far as its layout shows. */
  readonly before: { readonly document: JsonObject; readonly args: readonly string[] }
  /** Where it answers; undefined when it is not to. */
  readonly healthz: string | undefined
  /** Where the one that runs now answers. */
  readonly healthzBefore: string | undefined
  /** Socket of the container runtime; undefined when neither flags nor configuration name one. */
  readonly runtime: string | undefined
}
