import { parse } from 'yaml'
import type { KubeletLaunch } from './kubelet-verdict.ts'
import type { MemoryFiles } from './memory-files.ts'

/** Where a kubelet that is started now looks for static pods: its flag, then the last file behind `--config-dir`, then its configuration. */
export function manifestDirectory({ args, config }: KubeletLaunch, files: MemoryFiles): string | undefined {
  const flag = (name: string) => args.findLast((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
  const found = flag('pod-manifest-path') ?? dropInsOf(flag('config-dir'), files).findLast(Boolean) ?? pathIn(config ?? '')
  return found?.replace(/\/+$/, '') || undefined
}

function dropInsOf(directory: string | undefined, files: MemoryFiles): (string | undefined)[] {
  if (directory === undefined) return []
  const prefix = `${directory.replace(/\/+$/, '')}/`
  const texts = Object.keys(files.snapshot()).filter((path) => path.startsWith(prefix) && path.endsWith('.conf'))
  return texts.toSorted().map((path) => pathIn(files.text(path) ?? ''))
}

function pathIn(config: string): string | undefined {
  const document: unknown = parse(config)
  const path =
    typeof document === 'object' && document !== null && 'staticPodPath' in document ? document.staticPodPath : undefined
  return typeof path === 'string' ? path : undefined
}
