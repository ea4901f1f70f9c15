"""Convolutions and their parts."""

from cases import case
from learning.common import VECTORS, i32, normal, zeros

case(
    "convolution 3x3, direct, NCHW",
    r"""
__global__ void conv2d(const float* input, const float* weight, const float* bias, float* output, int Cin, int H, int W) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int oc = blockIdx.z;
  if (x >= W || y >= H) return;

  float sum = bias[oc];
  for (int ic = 0; ic < Cin; ic++) {
    for (int ky = 0; ky < 3; ky++) {
      for (int kx = 0; kx < 3; kx++) {
        int iy = y + ky - 1;
        int ix = x + kx - 1;
        if (iy >= 0 && iy < H && ix >= 0 && ix < W) {
          sum += input[(ic * H + iy) * W + ix] * weight[((oc * Cin + ic) * 3 + ky) * 3 + kx];
        }
      }
    }
  }
  output[(oc * H + y) * W + x] = sum > 0.0f ? sum : 0.0f;
}
""",
    VECTORS
    + r"""
void twin(const float* input, const float* weight, const float* bias, float* output, int Cin, int H, int W) {
  static float padded[16 * 30 * 36], packed[32 * 16 * 9];  // borders of zeros; the weights of 8 outputs side by side
  for (int c = 0; c < Cin; c++)
    for (int y = 0; y < H; y++) memcpy(padded + (c * 30 + y + 1) * 36 + 1, input + (c * H + y) * W, W * 4);
  for (int oc = 0; oc < 32; oc++)
    for (int i = 0; i < Cin * 9; i++) packed[(oc / 8 * Cin * 9 + i) * 8 + oc % 8] = weight[oc * Cin * 9 + i];
  const __mmask16 rest = (1u << (W - 16)) - 1;
  for (int oc = 0; oc < 32; oc += 8)
    for (int y = 0; y < H; y++) {
      V acc[8][2];
#pragma GCC unroll 8
      for (int r = 0; r < 8; r++) acc[r][0] = acc[r][1] = all(bias[oc + r]);
      const float* w = packed + oc * Cin * 9;
      for (int c = 0; c < Cin; c++)
        for (int ky = 0; ky < 3; ky++) {
          const float* in = padded + (c * 30 + y + ky) * 36;
          for (int kx = 0; kx < 3; kx++, w += 8) {
            const V a = ld(in + kx), b = ld(in + kx + 16);
#pragma GCC unroll 8
            for (int r = 0; r < 8; r++) {
              acc[r][0] = fma16(all(w[r]), a, acc[r][0]);
              acc[r][1] = fma16(all(w[r]), b, acc[r][1]);
            }
          }
        }
#pragma GCC unroll 8
      for (int r = 0; r < 8; r++) {
        float* out = output + ((oc + r) * H + y) * W;
        st(out, _mm512_max_ps(acc[r][0], all(0)));
        _mm512_mask_storeu_ps(out + 16, rest, _mm512_max_ps(acc[r][1], all(0)));
      }
    }
}
""",
    [normal(22, 16, 28, 28), normal(23, 32, 16, 9), normal(24, 32), zeros(32, 28, 28), i32(16), i32(28), i32(28)],
    (2, 2, 32),
    (16, 16),
)

case(
    "depthwise 3x3, shared tile, ReLU6",
    r"""
#define TILE 16

__global__ void depthwise(const float* in, const float* filters, const float* bias, float* out, int H, int W) {
  __shared__ float tile[TILE + 2][TILE + 2];
  int c = blockIdx.z;
  int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
  const float* plane = in + c * H * W;

  for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
    int ty = i / (TILE + 2), tx = i % (TILE + 2);
    int y = y0 + ty - 1, x = x0 + tx - 1;
    tile[ty][tx] = (y >= 0 && y < H && x >= 0 && x < W) ? plane[y * W + x] : 0.0f;
  }
  __syncthreads();

  int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x < W && y < H) {
    float sum = bias[c];
    #pragma unroll
    for (int i = 0; i < 3; i++)
      #pragma unroll
      for (int j = 0; j < 3; j++) sum += tile[threadIdx.y + i][threadIdx.x + j] * filters[c * 9 + i * 3 + j];
    out[c * H * W + y * W + x] = fminf(fmaxf(sum, 0.0f), 6.0f);
  }
}
""",
    VECTORS
    + r"""
void twin(const float* in, const float* filters, const float* bias, float* out, int H, int W) {
  for (int c = 0; c < 32; c++) {
    const float* plane = in + c * H * W;
    V f[9];
    for (int i = 0; i < 9; i++) f[i] = all(filters[c * 9 + i]);
    const V b = all(bias[c]);
    for (int x = 0; x < W; x += 16) {  // down a column of vectors, three rows of sums in flight
      const int left = std::min(16, W - x);
      const __mmask16 here = left == 16 ? 0xffff : (1u << left) - 1;
      const __mmask16 before = x ? here : here & 0xfffe, after = x + 16 < W ? here : here >> 1;
      V above = b, now = b;
      for (int y = 0; y <= H; y++) {
        V below = b;
        if (y < H) {
          const float* p = plane + y * W + x;
          const V l = _mm512_maskz_loadu_ps(before, p - 1), m = _mm512_maskz_loadu_ps(here, p), r = _mm512_maskz_loadu_ps(after, p + 1);
          above = fma16(f[6], l, fma16(f[7], m, fma16(f[8], r, above)));
          now = fma16(f[3], l, fma16(f[4], m, fma16(f[5], r, now)));
          below = fma16(f[0], l, fma16(f[1], m, fma16(f[2], r, b)));
        }
        if (y) _mm512_mask_storeu_ps(out + (c * H + y - 1) * W + x, here, _mm512_min_ps(_mm512_max_ps(above, all(0)), all(6)));
        above = now;
        now = below;
      }
    }
  }
}
""",
    [normal(25, 32, 56, 56), normal(26, 32, 9), normal(27, 32), zeros(32, 56, 56), i32(56), i32(56)],
    (4, 4, 32),
    (16, 16),
)

case(
    "transposed convolution 4x4, stride 2",
    r"""
__global__ void conv_transpose(const float* in, const float* w, float* out, int Cin, int Cout, int H, int W) {
  const int K = 4, stride = 2, pad = 1;
  int ox = blockIdx.x * blockDim.x + threadIdx.x;
  int oy = blockIdx.y * blockDim.y + threadIdx.y;
  int oc = blockIdx.z;
  int OW = W * stride, OH = H * stride;
  if (ox >= OW || oy >= OH) return;
  float acc = 0.0f;
  for (int ky = 0; ky < K; ky++) {
    int y = oy + pad - ky;
    if (y < 0 || y % stride != 0) continue;
    y /= stride;
    if (y >= H) continue;
    for (int kx = 0; kx < K; kx++) {
      int x = ox + pad - kx;
      if (x < 0 || x % stride != 0) continue;
      x /= stride;
      if (x >= W) continue;
      for (int ic = 0; ic < Cin; ic++) acc += in[(ic * H + y) * W + x] * w[((ic * Cout + oc) * K + ky) * K + kx];
    }
  }
  out[(oc * OH + oy) * OW + ox] = acc;
}
""",
    VECTORS
    + r"""
void twin(const float* in, const float* w, float* out, int Cin, int Cout, int H, int W) {
  static float padded[32 * 18 * 18], packed[32 * 16 * 16];
  for (int c = 0; c < Cin; c++)
    for (int y = 0; y < H; y++) memcpy(padded + (c * 18 + y + 1) * 18 + 1, in + (c * H + y) * W, W * 4);
  for (int c = 0; c < Cin; c++)
    for (int oc = 0; oc < Cout; oc++)
      for (int k = 0; k < 16; k++) packed[((oc / 8 * Cin + c) * 16 + k) * 8 + oc % 8] = w[(c * Cout + oc) * 16 + k];
  for (int oc = 0; oc < Cout; oc += 8)
    for (int oy = 0; oy < 2 * H; oy++) {
      V even[8], odd[8];  // the sums for even and odd columns
#pragma GCC unroll 8
      for (int r = 0; r < 8; r++) even[r] = odd[r] = all(0);
      for (int c = 0; c < Cin; c++)
        for (int ky = (oy + 1) % 2; ky < 4; ky += 2) {
          const float* p = padded + (c * 18 + (oy + 1 - ky) / 2 + 1) * 18;
          if (oy + 1 < ky) p = padded + c * 18 * 18;
          const V l = ld(p), m = ld(p + 1), n = ld(p + 2);
          const float* f = packed + ((oc / 8 * Cin + c) * 16 + ky * 4) * 8;
#pragma GCC unroll 8
          for (int r = 0; r < 8; r++) {
            even[r] = fma16(all(f[8 + r]), m, even[r]);
            odd[r] = fma16(all(f[16 + r]), m, odd[r]);
            even[r] = fma16(all(f[24 + r]), l, even[r]);
            odd[r] = fma16(all(f[r]), n, odd[r]);
          }
        }
#pragma GCC unroll 8
      for (int r = 0; r < 8; r++) {
        float* o = out + ((oc + r) * 2 * H + oy) * 2 * W;
        st(o, _mm512_permutex2var_ps(even[r], zip_low(), odd[r]));
        st(o + 16, _mm512_permutex2var_ps(even[r], zip_high(), odd[r]));
      }
    }
}
""",
    [normal(28, 32, 16, 16), normal(29, 32, 16, 4, 4), zeros(16, 32, 32), i32(32), i32(16), i32(16), i32(16)],
    (2, 2, 16),
    (16, 16),
)

case(
    "convolution weight gradient, block per tap",
    r"""
__global__ void conv_weight_grad(const float* x, const float* dy, float* dw, int N, int Cin, int Cout, int H, int W) {
  __shared__ float partial[64];
  int k = blockIdx.x, ic = blockIdx.y, oc = blockIdx.z;
  int ky = k / 3, kx = k % 3;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < N * H * W; i += blockDim.x) {
    int n = i / (H * W);
    int oy = (i / W) % H;
    int ox = i % W;
    int iy = oy + ky - 1, ix = ox + kx - 1;
    if (iy < 0 || iy >= H || ix < 0 || ix >= W) continue;
    sum += dy[((n * Cout + oc) * H + oy) * W + ox] * x[((n * Cin + ic) * H + iy) * W + ix];
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) dw[(oc * Cin + ic) * 9 + k] = partial[0];
}
""",
    VECTORS
    + r"""
void twin(const float* x, const float* dy, float* dw, int N, int Cin, int Cout, int H, int W) {
  static float padded[4 * 8 * 18 * 18];
  for (int c = 0; c < N * Cin; c++)
    for (int y = 0; y < H; y++) memcpy(padded + (c * 18 + y + 1) * 18 + 1, x + (c * H + y) * W, W * 4);
  for (int ic = 0; ic < Cin; ic++)
    for (int oc = 0; oc < Cout; oc += 2) {
      V a[9], b[9];
#pragma GCC unroll 9
      for (int k = 0; k < 9; k++) a[k] = b[k] = all(0);
      for (int n = 0; n < N; n++) {
        const float *p = padded + (n * Cin + ic) * 18 * 18, *d = dy + (n * Cout + oc) * H * W;
        for (int y = 0; y < H; y++) {
          const V d0 = ld(d + y * W), d1 = ld(d + (H + y) * W);
#pragma GCC unroll 3
          for (int ky = 0; ky < 3; ky++)
#pragma GCC unroll 3
            for (int kx = 0; kx < 3; kx++) {
              const V v = ld(p + (y + ky) * 18 + kx);
              a[ky * 3 + kx] = fma16(v, d0, a[ky * 3 + kx]);
              b[ky * 3 + kx] = fma16(v, d1, b[ky * 3 + kx]);
            }
        }
      }
#pragma GCC unroll 9
      for (int k = 0; k < 9; k++) {
        dw[(oc * Cin + ic) * 9 + k] = _mm512_reduce_add_ps(a[k]);
        dw[((oc + 1) * Cin + ic) * 9 + k] = _mm512_reduce_add_ps(b[k]);
      }
    }
}
""",
    [normal(30, 4, 8, 16, 16), normal(31, 4, 16, 16, 16), zeros(16, 8, 9), i32(4), i32(8), i32(16), i32(16), i32(16)],
    (9, 8, 16),
    64,
)

case(
    "col2im, flat index",
    r"""
#define CUDA_KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

__global__ void col2im(int n, const float* data_col, int height, int width, int kernel, int pad, int stride, int height_col, int width_col,
                       float* data_im) {
  CUDA_KERNEL_LOOP(index, n) {
    float val = 0;
    const int w_im = index % width + pad;
    const int h_im = (index / width) % height + pad;
    const int c_im = index / (width * height);
    const int w_col_start = (w_im < kernel) ? 0 : (w_im - kernel) / stride + 1;
    const int w_col_end = min(w_im / stride + 1, width_col);
    const int h_col_start = (h_im < kernel) ? 0 : (h_im - kernel) / stride + 1;
    const int h_col_end = min(h_im / stride + 1, height_col);
    for (int h_col = h_col_start; h_col < h_col_end; h_col++) {
      for (int w_col = w_col_start; w_col < w_col_end; w_col++) {
        int h_k = h_im - h_col * stride;
        int w_k = w_im - w_col * stride;
        int col_index = (((c_im * kernel + h_k) * kernel + w_k) * height_col + h_col) * width_col + w_col;
        val += data_col[col_index];
      }
    }
    data_im[index] = val;
  }
}
""",
    VECTORS
    + r"""
void twin(int n, const float* col, int height, int width, int kernel, int pad, int stride, int height_col, int width_col, float* im) {
  if (stride != 1) return;  // other strides would be another loop
  for (int c = 0; c < n / (height * width); c++)
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x += 32) {
        V a = all(0), b = all(0);
        for (int ky = 0; ky < kernel; ky++) {
          const int h = y + pad - ky;
          if (h < 0 || h >= height_col) continue;
          for (int kx = 0; kx < kernel; kx++) {
            const int first = x + pad - kx;  // of the 32 columns of `col` from here on those within 0 .. width_col - 1 count
            const uint32_t low = first < 0 ? ~0u << -first : ~0u, high = width_col - first >= 32 ? ~0u : (1u << (width_col - first)) - 1;
            const uint32_t k = low & high;
            const float* p = col + (((c * kernel + ky) * kernel + kx) * height_col + h) * width_col + first;
            a = a + _mm512_maskz_loadu_ps(k & 0xffff, p);
            b = b + _mm512_maskz_loadu_ps(k >> 16, p + 16);
          }
        }
        st(im + (c * height + y) * width + x, a);
        st(im + (c * height + y) * width + x + 16, b);
      }
}
""",
    [i32(24 * 1024), normal(32, 24, 9, 32, 32), *map(i32, (32, 32, 3, 1, 1, 32, 32)), zeros(24, 32, 32)],
    64,
    256,
)

case(
    "Winograd F(2,3), input transform",
    r"""
__global__ void winograd_input(const float* in, float* V, int C, int H, int W) {
  int tiles_x = W / 2, tiles = tiles_x * (H / 2);
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= C * tiles) return;
  int c = idx / tiles;
  int tile = idx % tiles;
  int ty = tile / tiles_x, tx = tile % tiles_x;

  float d[4][4], t[4][4];
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      int y = 2 * ty - 1 + i, x = 2 * tx - 1 + j;
      d[i][j] = (y >= 0 && y < H && x >= 0 && x < W) ? in[(c * H + y) * W + x] : 0.0f;
    }
  }
  for (int j = 0; j < 4; j++) {
    t[0][j] = d[0][j] - d[2][j];
    t[1][j] = d[1][j] + d[2][j];
    t[2][j] = d[2][j] - d[1][j];
    t[3][j] = d[1][j] - d[3][j];
  }
  for (int i = 0; i < 4; i++) {
    float v[4] = {t[i][0] - t[i][2], t[i][1] + t[i][2], t[i][2] - t[i][1], t[i][1] - t[i][3]};
    for (int j = 0; j < 4; j++) V[((i * 4 + j) * C + c) * tiles + tile] = v[j];
  }
}
""",
    VECTORS
    + r"""
void twin(const float* in, float* out, int C, int H, int W) {
  const int tiles = W / 2 * (H / 2);  // 16 tiles, 32 columns, are a row of tiles
  for (int c = 0; c < C; c++) {
    float padded[34 * 36];
    memset(padded, 0, sizeof padded);
    for (int y = 0; y < H; y++) {
      st(padded + (y + 1) * 36 + 1, ld(in + (c * H + y) * W));
      st(padded + (y + 1) * 36 + 17, ld(in + (c * H + y) * W + 16));
    }
    for (int ty = 0; ty < H / 2; ty++) {
      V d[4][4];
#pragma GCC unroll 4
      for (int i = 0; i < 4; i++) {
        const float* p = padded + (2 * ty + i) * 36;
        const V a = ld(p), b = ld(p + 16), e = ld(p + 2), f = ld(p + 18);
        d[i][0] = _mm512_permutex2var_ps(a, evens(), b);
        d[i][1] = _mm512_permutex2var_ps(a, odds(), b);
        d[i][2] = _mm512_permutex2var_ps(e, evens(), f);
        d[i][3] = _mm512_permutex2var_ps(e, odds(), f);
      }
      V t[4][4];
#pragma GCC unroll 4
      for (int j = 0; j < 4; j++) {
        t[0][j] = d[0][j] - d[2][j];
        t[1][j] = d[1][j] + d[2][j];
        t[2][j] = d[2][j] - d[1][j];
        t[3][j] = d[1][j] - d[3][j];
      }
      float* o = out + c * tiles + ty * 16;
      const int step = C * tiles;
#pragma GCC unroll 4
      for (int i = 0; i < 4; i++) {
        st(o + (4 * i) * step, t[i][0] - t[i][2]);
        st(o + (4 * i + 1) * step, t[i][1] + t[i][2]);
        st(o + (4 * i + 2) * step, t[i][2] - t[i][1]);
        st(o + (4 * i + 3) * step, t[i][1] - t[i][3]);
      }
    }
  }
}
""",
    [normal(33, 40, 32, 32), zeros(16, 40, 256), i32(40), i32(32), i32(32)],
    80,
    128,
)
