import type { HostFiles } from '../ports.ts'
import { KubeletDropIns } from './config-drop-ins.ts'
import type { KubeletTarget } from './layout.ts'
import { parseYaml } from './parse-yaml.ts'

/**
 * Files and directories that the flags and the configuration of a kubelet name, and the directory of drop-ins, which its unit may name
 * too. Most of them it reads only when it starts.
 * @param kubelet undefined when nothing shows how it is installed
 */
export async function kubeletReads(kubelet: KubeletTarget | undefined, files: HostFiles): Promise<string[]> {
  const { args, config } = kubelet ?? { args: [] }
  const dropIns = await new KubeletDropIns(files).directory(args)
  const text = config?.text ?? (config && Buffer.from((await files.read(config.path)) ?? []).toString())
  const named = [
    ...args.flatMap((arg) => arg.split(/[=,]/)),
    ...textsIn(documentOf(text)),
    ...(dropIns === undefined ? [] : [dropIns]),
  ]
  return [...new Set(named.filter((path) => /^\/[^/]/.test(path)).map((path) => path.replace(/\/+$/, '')))]
}

export function isReadBy(reads: readonly string[], path: string): boolean {
  return reads.some((read) => path === read || path.startsWith(`${read}/`))
}

/** What is not YAML is for the kubelet to judge. */
function documentOf(text: string | undefined): unknown {
  try {
    return parseYaml(text ?? '')
  } catch {
    return undefined
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
