import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Path of the kubectl that a shell would run; NODEWAVE_KUBECTL names another one. */
export function findKubectl(): string | undefined {
  const { PATH = '', NODEWAVE_KUBECTL } = process.env
  if (NODEWAVE_KUBECTL) return NODEWAVE_KUBECTL
  return PATH.split(delimiter)
    .map((directory) => join(directory, 'kubectl'))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
