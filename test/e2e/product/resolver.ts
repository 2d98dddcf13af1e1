/** A name server beside the cluster, which knows every name: pods reach it over their network, as they would reach a cluster's DNS. */
import { createSocket } from 'node:dgram'

const ANSWER = 0x84
const NO_ERROR = 0x00
const TYPE_A = 1

/** On port 53 of an address of the machine, until disposed. */
export async function startResolver(address: string): Promise<Disposable> {
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address: asker }) => {
    socket.send(answerTo(question), port, asker)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(53, address, resolve)
  })
  return { [Symbol.dispose]: () => socket.close() }
}

/** Every name has the address 10.96.0.1, and none of another family. */
function answerTo(question: Buffer): Buffer {
  const end = endOfName(question, 12) + 4
  const isForAddress = question.readUInt16BE(end - 4) === TYPE_A
  const header = Buffer.from(question.subarray(0, 12))
  header[2] = ANSWER | ((question[2] ?? 0) & 1)
  header[3] = NO_ERROR
  header.writeUInt16BE(isForAddress ? 1 : 0, 6)
  header.writeUInt32BE(0, 8)
  const record = Buffer.from('c00c00010001000000050004' + '0a600001', 'hex')
  return Buffer.concat([header, question.subarray(12, end), ...(isForAddress ? [record] : [])])
}

function endOfName(message: Buffer, start: number): number {
  let at = start
  while (message[at] !== 0 && at < message.length) at += (message[at] ?? 0) + 1
  return at + 1
}
