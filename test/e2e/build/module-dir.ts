/** Where Go has unpacked a published module. */
import { output } from '../exec.ts'

export async function moduleDirectory(module: string, version: string): Promise<string> {
  const { Dir } = JSON.parse(await output('go', ['mod', 'download', '-json', `${module}@v${version}`])) as { Dir: string }
  return Dir
}
