import type { JsonObject } from '../../protocol/merge-patch.ts'
import { KUBELET_CONFIG } from '../paths.ts'
import type { Resource } from '../resources/kind.ts'
import { kubeletConfig } from '../resources/kubelet-config.ts'
import { kubeletDocument, lenientDocument } from './kubelet-document.ts'
import { flagValue } from './kubelet-flags.ts'
import type { HostTexts, LayoutInput } from './layout.ts'

export interface ConfigTarget {
  readonly resources: readonly Resource[]
  readonly document: JsonObject
  /** What the kubelet that runs now reads. */
  readonly before: ConfigTarget['document']
  /** As it will stand on the host; undefined when the file is not ours. */
  readonly text: string | undefined
}

/** Arguments of the kubelet, each of which may name its configuration file. */
export interface KubeletArgs {
  /** That it had before nodewave. */
  readonly local: readonly string[]
  /** That it has now. */
  readonly current: readonly string[]
  /** That it will have. */
  readonly wanted: readonly string[]
}

/** The configuration of the kubelet: the machine's with Git's fields over it, at `path`; or left alone when Git names none. */
export function configTarget(
  { content, install }: LayoutInput,
  texts: HostTexts,
  { path, args }: { readonly path: string; readonly args: KubeletArgs },
): ConfigTarget {
  const before = lenientDocument(texts.current.get(configFileOf(args.current)))
  if (content.config === undefined) {
    const document = lenientDocument(texts.local.get(configFileOf(args.wanted)))
    return { resources: [], text: undefined, before, document }
  }
  const local = texts.local.get(configFileOf(args.local)) ?? texts.local.get(path)
  const made = kubeletDocument(content.config, { mode: install.configMode ?? 'overlay', local })
  return { ...made, before, resources: [kubeletConfig.of({ path, ...made })] }
}

/** A relative path says nothing: nobody knows from where the kubelet is started. */
export function configFileOf(args: readonly string[]): string {
  const named = flagValue(args, 'config')
  return named?.startsWith('/') ? named : KUBELET_CONFIG
}
