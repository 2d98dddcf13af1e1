import { join } from 'node:path'
import { readdir, readFile, stat } from '../../../kube/file-calls.ts'
import { orMissing } from '../or-missing.ts'

/** Files of service managers, read where a machine has them. */
export class HostPlace {
  readonly #root: string

  constructor(root = '/') {
    this.#root = root
  }

  path(path: string): string {
    return join(this.#root, path)
  }

  async text(path: string): Promise<string | undefined> {
    return orMissing(readFile(this.path(path), 'utf8'))
  }

  async names(path: string): Promise<readonly string[]> {
    return (await orMissing(readdir(this.path(path)))) ?? []
  }

  /** Undefined: there is nothing. Links are followed. */
  async mode(path: string): Promise<number | undefined> {
    return (await orMissing(stat(this.path(path))))?.mode
  }

  async exists(path: string): Promise<boolean> {
    return (await this.mode(path)) !== undefined
  }

  /** The process ids that files hold, in the order of the files. */
  async pidsIn(paths: readonly string[]): Promise<number[]> {
    const pids: number[] = []
    for (const path of paths) {
      const pid = Number.parseInt((await this.text(path)) ?? '', 10)
      if (pid > 1) pids.push(pid)
    }
    return pids
  }
}
