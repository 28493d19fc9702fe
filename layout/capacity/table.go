package capacity

// gib is a number of GiB in bytes. The measured numbers below come from torch's messages, which have two decimals,
// so they are right to 5 MiB.
func gib(hundredths int64) int64 { return hundredths << 30 / 100 }

// table holds the kinds of GPU, newest first within a family. "torch" is the capacity in out-of-memory messages of
// torch that people have published, over several driver versions: newer drivers keep a little more for themselves.
// "smi" is the total of nvidia-smi in published outputs. Nominal sizes are those of the makers' data sheets.
var table = []Capacity{
	// torch 267.69 GiB (three public logs of B300 SXM6 AC); smi 275040 MiB.
	{Name: "B300", NominalGB: 288, Bytes: gib(26769)},
	// torch 178.35 to 178.36 GiB; smi 183359 MiB, of which a job scheduler's log of the same machine counts 182642
	// MiB as usable.
	{Name: "B200", NominalGB: 180, Bytes: gib(17835), keys: "b200192"},
	// torch 139.80 to 139.81 GiB, older drivers 139.72; smi 143771 MiB.
	{Name: "H200", NominalGB: 141, Bytes: gib(13980)},
	// torch 79.10 to 79.25 GiB (stas00's ML engineering book: 79.10; most logs of H100 SXM: 79.18 and 79.19); smi
	// 81559 MiB.
	{Name: "H100", NominalGB: 80, Bytes: gib(7918)},
	// torch 95.00 GiB (modelscope/DiffSynth-Studio issue 1238), 95.22 with older drivers; smi 97871 MiB.
	{Name: "H20", NominalGB: 96, Bytes: gib(9500)},
	// torch 94.50 GiB (vLLM issues on GH200); smi 97871 MiB. The names torch gives it count the memory of the CPU
	// beside it: "GH200 480GB", "120GB".
	{Name: "GH200 96GB", NominalGB: 96, Bytes: gib(9450), keys: "gh200 gh200480 gh200120"},
	// cuDeviceTotalMem 153,008,209,920 bytes ("NVIDIA GH200 144G HBM3e").
	{Name: "GH200 144GB", NominalGB: 144, Bytes: 153_008_209_920},
	// torch 79.15 to 79.25 GiB; smi 81920 MiB. Old drivers said 79.35.
	{Name: "A100 80GB", NominalGB: 80, Bytes: gib(7915)},
	// torch 39.38 to 39.56 GiB, most often 39.49; smi 40960 MiB.
	{Name: "A100 40GB", NominalGB: 40, Bytes: gib(3949)},
	// torch 44.34 to 44.47 GiB for the 48 GB cards with error correction (A40, L40, L40S, all 46068 MiB in smi);
	// 44.40 is the usual one.
	{Name: "L40S", NominalGB: 48, Bytes: gib(4440)},
	{Name: "L40", NominalGB: 48, Bytes: gib(4440)},
	{Name: "A40", NominalGB: 48, Bytes: gib(4440)},
	// torch 22.03 to 22.07 GiB; smi 23034 MiB.
	{Name: "L4", NominalGB: 24, Bytes: gib(2203)},
	// torch 21.96 to 21.99 GiB, 22.20 with drivers of 2023; smi 23028 MiB for both the A10 and Amazon's A10G.
	{Name: "A10G", NominalGB: 24, Bytes: gib(2198)},
	{Name: "A10", NominalGB: 24, Bytes: gib(2198)},
	// torch 15.77 to 15.78 GiB; smi 16160 or 16384 MiB.
	{Name: "V100 16GB", NominalGB: 16, Bytes: gib(1577)},
	// torch 31.73 to 31.75 GiB; smi 32510 or 32768 MiB.
	{Name: "V100 32GB", NominalGB: 32, Bytes: gib(3173)},
	// torch 14.56 to 14.58 GiB, older drivers 14.74; smi 15360 MiB. Error correction takes a sixteenth.
	{Name: "T4", NominalGB: 16, Bytes: gib(1456)},
	// torch 94.97 GiB, in logs of 94.96 to 95.01; smi 97887 MiB.
	{Name: "RTX Pro 6000 Blackwell", NominalGB: 96, Bytes: gib(9497), keys: "pro6000"},
	// torch 47.50 GiB (smi 49140 MiB), 44.43 with error correction switched on (DINGYANB/MTVCrafter issue 21: smi
	// 46068 MiB).
	{Name: "RTX 6000 Ada", NominalGB: 48, Bytes: gib(4750)},
	// torch 47.41 to 47.53 GiB; smi 49140 MiB.
	{Name: "RTX A6000", NominalGB: 48, Bytes: gib(4753)},
	// torch 31.36 to 31.37 GiB (Wan-Video/Wan2.1 issue 465); smi 32607 MiB.
	{Name: "RTX 5090", NominalGB: 32, Bytes: gib(3136)},
	// torch 23.52 to 23.53 GiB on a screenless Linux; smi 24564 MiB.
	{Name: "RTX 4090", NominalGB: 24, Bytes: gib(2352)},
	// torch 23.56 to 23.69 GiB; smi 24576 MiB.
	{Name: "RTX 3090", NominalGB: 24, Bytes: gib(2356)},
	// AMD's driver keeps next to nothing: 287.98, 255.98 and 191.98 GiB in torch's HIP messages (255.69 in virtual
	// machines).
	{Name: "MI355X", NominalGB: 288, Bytes: gib(28798)},
	{Name: "MI325X", NominalGB: 256, Bytes: gib(25598)},
	{Name: "MI300X", NominalGB: 192, Bytes: gib(19198)},
	// torch 63.98 GiB: a MI250X is two devices of 64 GB each, and a snapshot counts them as two.
	{Name: "MI250X", NominalGB: 64, Bytes: gib(6398), keys: "mi250x128"},
}
