import type { Resource } from '../resources/kind.ts'
import { kubeletConfig } from '../resources/kubelet-config.ts'
import { kubeletDocument, lenientDocument } from './kubelet-document.ts'
import type { HostTexts, LayoutInput } from './layout.ts'

export interface ConfigTarget {
  readonly resources: readonly Resource[]
  readonly document: { readonly [key: string]: unknown }
  /** What the file says now. */
  readonly before: ConfigTarget['document']
  /** As it will stand on the host; undefined when the file is not ours. */
  readonly text: string | undefined
}

/** The configuration file at `path`: the machine's with Git's fields over it, or left alone when Git names none. */
export function configTarget({ content, install }: LayoutInput, texts: HostTexts, path: string): ConfigTarget {
  const local = texts.local.get(path)
  const before = lenientDocument(texts.current.get(path))
  if (content.config === undefined) return { resources: [], text: undefined, before, document: lenientDocument(local) }
  const made = kubeletDocument(content.config, { mode: install.configMode ?? 'overlay', local })
  return { ...made, before, resources: [kubeletConfig.of({ path, ...made })] }
}
