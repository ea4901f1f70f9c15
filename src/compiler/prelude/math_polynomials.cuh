// Polynomials of the mathematical functions; written by derive.py, which says how they were made.
#pragma once

// (exp(x) - 1 - x) / x^2 on [-0.34692, 0.34692], error at most 2^-58.5.
__LANZA_FN double __lanza_poly_exp(double x) {
  double square = x * x;
  double p = 2.0914755325893202e-09;
  p = __builtin_fma(p, square, 2.7557273478718582e-07);
  p = __builtin_fma(p, square, 2.4801587325677461e-05);
  p = __builtin_fma(p, square, 0.0013888888888883711);
  p = __builtin_fma(p, square, 0.041666666666666671);
  double q = 2.5105312729622103e-08;
  q = __builtin_fma(q, square, 2.7557255170000888e-06);
  q = __builtin_fma(q, square, 0.00019841269875002279);
  q = __builtin_fma(q, square, 0.0083333333333260838);
  p = __builtin_fma(q, x, p);
  return __builtin_fma(__builtin_fma(p, x, 0.16666666666666671), x, 0.5);
}

// (exp(x) - 1 - x - x^2 / 2) / x^3 on [-0.34692, 0.34692], error at most 2^-54.8.
__LANZA_FN double __lanza_poly_exp_cubic(double x) {
  double square = x * x;
  double p = 2.5100472505694996e-08;
  p = __builtin_fma(p, square, 2.7557268276905696e-06);
  p = __builtin_fma(p, square, 0.00019841269863171557);
  p = __builtin_fma(p, square, 0.008333333333330039);
  double q = 2.09112987659402e-09;
  q = __builtin_fma(q, square, 2.7557282838800484e-07);
  q = __builtin_fma(q, square, 2.4801587317228724e-05);
  q = __builtin_fma(q, square, 0.0013888888888886537);
  p = __builtin_fma(q, x, p);
  return __builtin_fma(__builtin_fma(p, x, 0.041666666666666664), x, 0.16666666666666669);
}

// (exp(x) - 1 - x) / x^2, for float results on [-0.34692, 0.34692], error at most 2^-35.1.
__LANZA_FN double __lanza_poly_exp_short(double x) {
  double p = 2.485969439475207e-05;
  p = __builtin_fma(p, x, 0.00019899390183679232);
  p = __builtin_fma(p, x, 0.001388885390994504);
  p = __builtin_fma(p, x, 0.0083332983440230924);
  p = __builtin_fma(p, x, 0.041666666719295684);
  p = __builtin_fma(p, x, 0.16666666719312481);
  return __builtin_fma(p, x, 0.5);
}

// (2 atanh(s) - 2 s - 2/3 s^3) / s^5 of x = s^2 on [0.0, 0.0297316], error at most 2^-55.1.
__LANZA_FN double __lanza_poly_log(double x) {
  double p = 0.11735818855512968;
  p = __builtin_fma(p, x, 0.11705021567538627);
  p = __builtin_fma(p, x, 0.13334850282547114);
  p = __builtin_fma(p, x, 0.15384594120126369);
  p = __builtin_fma(p, x, 0.18181818343316125);
  p = __builtin_fma(p, x, 0.2222222222162076);
  p = __builtin_fma(p, x, 0.28571428571429425);
  return __builtin_fma(p, x, 0.40000000000000002);
}

// (2 atanh(s) - 2 s) / s^3 of x = s^2 on [0.0, 0.0297316], error at most 2^-51.3.
__LANZA_FN double __lanza_poly_log_quotient(double x) {
  double p = 0.14630031364122861;
  p = __builtin_fma(p, x, 0.15330617306743305);
  p = __builtin_fma(p, x, 0.18182922513515942);
  p = __builtin_fma(p, x, 0.22222210674238516);
  p = __builtin_fma(p, x, 0.28571428628810996);
  p = __builtin_fma(p, x, 0.39999999999893221);
  return __builtin_fma(p, x, 0.66666666666666696);
}

// (2 atanh(s) - 2 s) / s^3 of x = s^2, for float results on [0.0, 0.0297316], error at most 2^-44.2.
__LANZA_FN double __lanza_poly_log_short(double x) {
  double p = 0.16634817293436976;
  p = __builtin_fma(p, x, 0.18139329084810124);
  p = __builtin_fma(p, x, 0.22222882159268573);
  p = __builtin_fma(p, x, 0.28571423954752284);
  p = __builtin_fma(p, x, 0.40000000011787484);
  return __builtin_fma(p, x, 0.666666666666618);
}

// (sin(r) - r) / r^3 of x = r^2 on [0.0, 0.618085], error at most 2^-56.6.
__LANZA_FN double __lanza_poly_sin(double x) {
  double p = -7.5865765881710725e-13;
  p = __builtin_fma(p, x, 1.6058529572267877e-10);
  p = __builtin_fma(p, x, -2.5052106219521895e-08);
  p = __builtin_fma(p, x, 2.7557319219301919e-06);
  p = __builtin_fma(p, x, -0.00019841269841265017);
  p = __builtin_fma(p, x, 0.0083333333333333315);
  return __builtin_fma(p, x, -0.16666666666666666);
}

// (cos(r) - 1 + r^2 / 2) / r^4 of x = r^2 on [0.0, 0.618085], error at most 2^-58.6.
__LANZA_FN double __lanza_poly_cos(double x) {
  double p = 4.7458048897606743e-14;
  p = __builtin_fma(p, x, -1.1470459749675607e-11);
  p = __builtin_fma(p, x, 2.0876755783894038e-09);
  p = __builtin_fma(p, x, -2.7557319221382114e-07);
  p = __builtin_fma(p, x, 2.4801587301584618e-05);
  p = __builtin_fma(p, x, -0.0013888888888888887);
  return __builtin_fma(p, x, 0.041666666666666664);
}

// (sinh(t) - t) / t^3 of x = t^2 on [0.0, 1.001], error at most 2^-56.6.
__LANZA_FN double __lanza_poly_sinh(double x) {
  double p = 2.8445596736423237e-15;
  p = __builtin_fma(p, x, 7.6466242803245128e-13);
  p = __builtin_fma(p, x, 1.6059048410081293e-10);
  p = __builtin_fma(p, x, 2.5052108363972185e-08);
  p = __builtin_fma(p, x, 2.7557319224040611e-06);
  p = __builtin_fma(p, x, 0.00019841269841269773);
  p = __builtin_fma(p, x, 0.0083333333333333332);
  return __builtin_fma(p, x, 0.16666666666666666);
}

// (atan(t) - t) / t^3 of x = t^2 on [0.0, 0.171744], error at most 2^-55.4.
__LANZA_FN double __lanza_poly_atan(double x) {
  double square = x * x;
  double p = -0.013905374533113234;
  p = __builtin_fma(p, square, -0.041038875468626869);
  p = __builtin_fma(p, square, -0.052580202726567583);
  p = __builtin_fma(p, square, -0.066666418691311832);
  p = __builtin_fma(p, square, -0.090909090668160802);
  p = __builtin_fma(p, square, -0.1428571428571149);
  double q = 0.030622995553735516;
  q = __builtin_fma(q, square, 0.047192591882420927);
  q = __builtin_fma(q, square, 0.058819230561140225);
  q = __builtin_fma(q, square, 0.076923067291948963);
  q = __builtin_fma(q, square, 0.11111111110751482);
  p = __builtin_fma(q, x, p);
  return __builtin_fma(__builtin_fma(p, x, 0.19999999999999993), x, -0.33333333333333331);
}

// (asin(t) - t) / t^3 of x = t^2 on [0.0, 0.2501], error at most 2^-56.6.
__LANZA_FN double __lanza_poly_asin(double x) {
  double square = x * x;
  double p = -0.019277545928584557;
  p = __builtin_fma(p, square, 0.0030350071727267623);
  p = __builtin_fma(p, square, 0.0096214027473448295);
  p = __builtin_fma(p, square, 0.013963775787848137);
  p = __builtin_fma(p, square, 0.022372157435623815);
  p = __builtin_fma(p, square, 0.044642857142550188);
  double q = 0.029635026263548549;
  q = __builtin_fma(q, square, 0.019579201619744684);
  q = __builtin_fma(q, square, 0.0093221015010827735);
  q = __builtin_fma(q, square, 0.011566511821890942);
  q = __builtin_fma(q, square, 0.017352816768546473);
  q = __builtin_fma(q, square, 0.030381944475693704);
  p = __builtin_fma(q, x, p);
  return __builtin_fma(__builtin_fma(p, x, 0.075000000000001191), x, 0.16666666666666666);
}

// erf(t) / t - 1 of x = t^2 on [0.0, 1.0], error at most 2^-56.2.
__LANZA_FN double __lanza_poly_erf(double x) {
  double square = x * x;
  double p = 8.7090451290531062e-11;
  p = __builtin_fma(p, square, 1.4792401209404813e-08);
  p = __builtin_fma(p, square, 1.6462045441468418e-06);
  p = __builtin_fma(p, square, 0.00012055332902888736);
  p = __builtin_fma(p, square, 0.0052239776254232985);
  p = __builtin_fma(p, square, 0.11283791670955121);
  double q = -4.2309458242953377e-12;
  q = __builtin_fma(q, square, -1.216456005728345e-09);
  q = __builtin_fma(q, square, -1.6364642158167616e-07);
  q = __builtin_fma(q, square, -1.4925647567519332e-05);
  q = __builtin_fma(q, square, -0.00085483270219348297);
  q = __builtin_fma(q, square, -0.02686617064512984);
  p = __builtin_fma(q, x, p);
  return __builtin_fma(__builtin_fma(p, x, -0.37612638903183754), x, 0.12837916709551259);
}

// (1 + 2 t) exp(t^2) erfc(t) of x = (t - 4) / (t + 4) on [-1.0, 1.0], error at most 2^-53.6.
__LANZA_FN double __lanza_poly_erfcx(double x) {
  double square = x * x, fourth = square * square;
  double p = 3.2323973445082033e-09;
  p = __builtin_fma(p, fourth, 7.7719432410869122e-08);
  p = __builtin_fma(p, fourth, -1.1221135665965907e-05);
  p = __builtin_fma(p, fourth, -0.00075777324359425761);
  p = __builtin_fma(p, fourth, -0.066330365811860581);
  p = __builtin_fma(p, fourth, 0.015379652102619974);
  double q = 9.2976252637096592e-10;
  q = __builtin_fma(q, fourth, 1.0631817593818149e-07);
  q = __builtin_fma(q, fourth, 5.7065782992407402e-06);
  q = __builtin_fma(q, fourth, -0.00019925715247265179);
  q = __builtin_fma(q, fourth, 0.037167515526338006);
  q = __builtin_fma(q, fourth, 0.068097054254668388);
  double r = -2.7641202337345779e-10;
  r = __builtin_fma(r, fourth, -2.0725802488181963e-08);
  r = __builtin_fma(r, fourth, 2.9173425573089733e-07);
  r = __builtin_fma(r, fourth, 0.00015062142608651945);
  r = __builtin_fma(r, fourth, -0.01619773406293477);
  r = __builtin_fma(r, fourth, -0.10103906603631811);
  double s = -1.2338731403798444e-08;
  s = __builtin_fma(s, fourth, -8.2106479332973366e-07);
  s = __builtin_fma(s, fourth, -2.4397731143023292e-05);
  s = __builtin_fma(s, fourth, 0.0050319700691022562);
  s = __builtin_fma(s, fourth, 0.093732834999112641);
  p = __builtin_fma(__builtin_fma(s, x, r), square, __builtin_fma(q, x, p));
  return __builtin_fma(__builtin_fma(p, x, -0.13962111684056228), x, 1.2329951186255526);
}

// lgamma(1 + x) / x on [-0.5, 0.5], error at most 2^-52.2.
__LANZA_FN double __lanza_poly_lgamma1(double x) {
  double square = x * x, fourth = square * square;
  double p = 0.11607286096230729;
  p = __builtin_fma(p, fourth, -0.030552885081952974);
  p = __builtin_fma(p, fourth, -0.066120793000026198);
  p = __builtin_fma(p, fourth, -0.090951209555699089);
  p = __builtin_fma(p, fourth, -0.14404989445673963);
  p = __builtin_fma(p, fourth, -0.40068563438641297);
  double q = -0.1127030830745222;
  q = __builtin_fma(q, fourth, 0.028630106831268789);
  q = __builtin_fma(q, fourth, 0.061970545380531601);
  q = __builtin_fma(q, fourth, 0.083351122405785003);
  q = __builtin_fma(q, fourth, 0.12550966728619478);
  q = __builtin_fma(q, fourth, 0.27058080842766985);
  double r = -0.21134667460212017;
  r = __builtin_fma(r, fourth, -0.12342319639170146);
  r = __builtin_fma(r, fourth, -0.063054188507916845);
  r = __builtin_fma(r, fourth, -0.076980601485936703);
  r = __builtin_fma(r, fourth, -0.11133437053070119);
  r = __builtin_fma(r, fourth, -0.20738555105511874);
  double s = 0.20416227090942643;
  s = __builtin_fma(s, fourth, 0.11881437465322976);
  s = __builtin_fma(s, fourth, 0.05965056083204593);
  s = __builtin_fma(s, fourth, 0.071479497638660822);
  s = __builtin_fma(s, fourth, 0.10009955884220252);
  s = __builtin_fma(s, fourth, 0.16955717702301196);
  p = __builtin_fma(__builtin_fma(s, x, r), square, __builtin_fma(q, x, p));
  return __builtin_fma(__builtin_fma(p, x, 0.82246703342411331), x, -0.57721566490153298);
}

// lgamma(2 + x) / x on [-0.6, 1.0], error at most 2^-56.0.
__LANZA_FN double __lanza_poly_lgamma2(double x) {
  double square = x * x, fourth = square * square;
  double p = -6.1473157003415173e-09;
  p = __builtin_fma(p, fourth, -9.9208336750031447e-08);
  p = __builtin_fma(p, fourth, -2.0389888233076293e-06);
  p = __builtin_fma(p, fourth, -4.4926232087399873e-05);
  p = __builtin_fma(p, fourth, -0.0011927539116938256);
  p = __builtin_fma(p, fourth, -0.067352301053198088);
  double q = 1.9114957521970597e-09;
  q = __builtin_fma(q, fourth, 4.6250630559387397e-08);
  q = __builtin_fma(q, fourth, 9.5520310352564314e-07);
  q = __builtin_fma(q, fourth, 2.0507229157389423e-05);
  q = __builtin_fma(q, fourth, 0.00050966952493473818);
  q = __builtin_fma(q, fourth, 0.020580808427784709);
  double r = -2.6976379898037269e-10;
  r = __builtin_fma(r, fourth, -2.3323347269850643e-08);
  r = __builtin_fma(r, fourth, -4.4997024226493738e-07);
  r = __builtin_fma(r, fourth, -9.4395303094516885e-06);
  r = __builtin_fma(r, fourth, -0.00022315475874744225);
  r = __builtin_fma(r, fourth, -0.007385551028674101);
  double s = 1.2842633153322266e-08;
  s = __builtin_fma(s, fourth, 2.1242211459847659e-07);
  s = __builtin_fma(s, fourth, 4.3748068979540606e-06);
  s = __builtin_fma(s, fourth, 9.9457510418760799e-05);
  s = __builtin_fma(s, fourth, 0.0028905103307332175);
  p = __builtin_fma(__builtin_fma(s, x, r), square, __builtin_fma(q, x, p));
  return __builtin_fma(__builtin_fma(p, x, 0.3224670334241132), x, 0.42278433509846713);
}

// (lgamma(t) - ((t - 1/2) log(t) - t + log(2 pi) / 2)) t of x = 1 / t^2 on [1.0e-8, 0.015625], error at most 2^-57.6.
__LANZA_FN double __lanza_poly_stirling(double x) {
  double p = 0.11001551365994706;
  p = __builtin_fma(p, x, -0.027742739140898389);
  p = __builtin_fma(p, x, 0.0063833219985469283);
  p = __builtin_fma(p, x, -0.0019172870549873167);
  p = __builtin_fma(p, x, 0.00084174957082173497);
  p = __builtin_fma(p, x, -0.00059523809142675841);
  p = __builtin_fma(p, x, 0.00079365079364503936);
  p = __builtin_fma(p, x, -0.0027777777777777744);
  return __builtin_fma(p, x, 0.083333333333333329);
}

// cbrt(x) on [1.0, 8.0], error at most 2^-10.4.
__LANZA_FN double __lanza_poly_cbrt(double x) {
  double p = -1.1824374463098317e-05;
  p = __builtin_fma(p, x, 0.00038371766656023301);
  p = __builtin_fma(p, x, -0.00515463512854962);
  p = __builtin_fma(p, x, 0.03747290165968864);
  p = __builtin_fma(p, x, -0.16567286530702457);
  p = __builtin_fma(p, x, 0.560358238192041);
  return __builtin_fma(p, x, 0.5733512975185816);
}

// (exp(x) - 1 - x) / x^2 on [-0.34692, 0.34692], error at most 2^-23.8.
__LANZA_FN float __lanza_poly_expf(float x) {
  float p = 0.00139262504f;
  p = __builtin_fmaf(p, x, 0.00836323295f);
  p = __builtin_fmaf(p, x, 0.0416665524f);
  p = __builtin_fmaf(p, x, 0.166665763f);
  return __builtin_fmaf(p, x, 0.5f);
}

// (2^x - 1) / x on [-0.5, 0.5], error at most 2^-28.2.
__LANZA_FN float __lanza_poly_exp2f(float x) {
  float p = 1.52973244e-05f;
  p = __builtin_fmaf(p, x, 0.000154614449f);
  p = __builtin_fmaf(p, x, 0.0013333502f);
  p = __builtin_fmaf(p, x, 0.00961805694f);
  p = __builtin_fmaf(p, x, 0.0555041097f);
  p = __builtin_fmaf(p, x, 0.240226507f);
  return __builtin_fmaf(p, x, 0.693147182f);
}

// (log(1 + x) - x + x^2 / 2) / x^3 on [-0.3334, 0.3334], error at most 2^-24.7.
__LANZA_FN float __lanza_poly_logf(float x) {
  float p = 0.113316573f;
  p = __builtin_fmaf(p, x, -0.124233238f);
  p = __builtin_fmaf(p, x, 0.10915482f);
  p = __builtin_fmaf(p, x, -0.122885354f);
  p = __builtin_fmaf(p, x, 0.142918751f);
  p = __builtin_fmaf(p, x, -0.16673325f);
  p = __builtin_fmaf(p, x, 0.199999481f);
  p = __builtin_fmaf(p, x, -0.249999434f);
  return __builtin_fmaf(p, x, 0.333333343f);
}

// (sin(r) - r - c r^3) / r^5 of x = r^2, c = -0.166666597 on [0.0, 2.47234], error of the result at most 2^-27.2.
__LANZA_FN float __lanza_poly_sinf(float x) {
  float p = 2.60605998e-06f;
  p = __builtin_fmaf(p, x, -0.000198097696f);
  return __builtin_fmaf(p, x, 0.00833306927f);
}

// (tan(r) - r) / r^3 of x = r^2 on [0.0, 0.618085], error of the result at most 2^-25.7.
__LANZA_FN float __lanza_poly_tanf(float x) {
  float p = 0.00937334821f;
  p = __builtin_fmaf(p, x, 0.00314295129f);
  p = __builtin_fmaf(p, x, 0.0244142655f);
  p = __builtin_fmaf(p, x, 0.0534160174f);
  p = __builtin_fmaf(p, x, 0.133387432f);
  return __builtin_fmaf(p, x, 0.333331585f);
}

// (sin(pi r) - pi r) / r^3 of x = r^2 on [0.0, 0.0626], error at most 2^-23.4.
__LANZA_FN float __lanza_poly_sinpif(float x) {
  float p = 0.0812281147f;
  p = __builtin_fmaf(p, x, -0.59922868f);
  p = __builtin_fmaf(p, x, 2.55016351f);
  return __builtin_fmaf(p, x, -5.16771269f);
}

// (cos(pi r) - 1 + (pi r)^2 / 2) / r^4 of x = r^2 on [0.0, 0.0626], error at most 2^-23.0.
__LANZA_FN float __lanza_poly_cospif(float x) {
  float p = -0.0255664326f;
  p = __builtin_fmaf(p, x, 0.235321239f);
  p = __builtin_fmaf(p, x, -1.33526266f);
  return __builtin_fmaf(p, x, 4.05871201f);
}

// (tanh(t) - t) / t^3 of x = t^2 on [0.0, 0.3025], error at most 2^-25.6.
__LANZA_FN float __lanza_poly_tanhf(float x) {
  float p = -0.00661022775f;
  p = __builtin_fmaf(p, x, 0.0213093888f);
  p = __builtin_fmaf(p, x, -0.0539094284f);
  p = __builtin_fmaf(p, x, 0.133331135f);
  return __builtin_fmaf(p, x, -0.333333313f);
}

// erf(t) / t - 1 of x = t^2 on [0.0, 0.85], error at most 2^-26.9.
__LANZA_FN float __lanza_poly_erff(float x) {
  float p = 8.38707419e-05f;
  p = __builtin_fmaf(p, x, -0.000814708124f);
  p = __builtin_fmaf(p, x, 0.00520145614f);
  p = __builtin_fmaf(p, x, -0.0268595889f);
  p = __builtin_fmaf(p, x, 0.112836994f);
  p = __builtin_fmaf(p, x, -0.376126349f);
  return __builtin_fmaf(p, x, 0.128379166f);
}

// (atan(t) - t) / t^3 of x = t^2 on [0.0, 1.0], error of the result at most 2^-25.6.
__LANZA_FN float __lanza_poly_atanf(float x) {
  float p = 0.00284148403f;
  p = __builtin_fmaf(p, x, -0.0160497576f);
  p = __builtin_fmaf(p, x, 0.0426927283f);
  p = __builtin_fmaf(p, x, -0.0750814304f);
  p = __builtin_fmaf(p, x, 0.106453262f);
  p = __builtin_fmaf(p, x, -0.142058209f);
  p = __builtin_fmaf(p, x, 0.199931353f);
  return __builtin_fmaf(p, x, -0.333331257f);
}

// (asin(t) - t) / t^3 of x = t^2 on [0.0, 0.2501], error of the result at most 2^-27.6.
__LANZA_FN float __lanza_poly_asinf(float x) {
  float p = 0.0421167463f;
  p = __builtin_fmaf(p, x, 0.0242076274f);
  p = __builtin_fmaf(p, x, 0.0454651676f);
  p = __builtin_fmaf(p, x, 0.0749533102f);
  return __builtin_fmaf(p, x, 0.166667521f);
}

// (cosh(r) - 1) / r^2 of x = r^2 on [0.0, 0.120354], error of the result at most 2^-33.2.
__LANZA_FN float __lanza_poly_coshf(float x) {
  float p = 0.00139357755f;
  p = __builtin_fmaf(p, x, 0.0416664556f);
  return __builtin_fmaf(p, x, 0.5f);
}

// (sinh(r) - r) / r^3 of x = r^2 on [0.0, 0.120354], error of the result at most 2^-26.1.
__LANZA_FN float __lanza_poly_sinhf(float x) {
  float p = 0.00836683623f;
  return __builtin_fmaf(p, x, 0.166665405f);
}

// log(erfc(x)) / x on [0.9, 4.0], error at most 2^-22.2.
__LANZA_FN float __lanza_poly_erfcf(float x) {
  float p = 1.01184514e-06f;
  p = __builtin_fmaf(p, x, -3.37652273e-05f);
  p = __builtin_fmaf(p, x, 0.000494089618f);
  p = __builtin_fmaf(p, x, -0.00428439258f);
  p = __builtin_fmaf(p, x, 0.0250934344f);
  p = __builtin_fmaf(p, x, -0.107792228f);
  p = __builtin_fmaf(p, x, -0.634194732f);
  return __builtin_fmaf(p, x, -1.12888873f);
}

// (t + 3) exp(t^2) erfc(t) of x = (t - 3) / (t + 3) on [-1.0, 0.5455], error of the result at most 2^-26.9.
__LANZA_FN float __lanza_poly_erfcxf(float x) {
  float square = x * x;
  float p = -0.000483676879f;
  p = __builtin_fmaf(p, square, -0.00122765545f);
  p = __builtin_fmaf(p, square, 0.119529925f);
  p = __builtin_fmaf(p, square, 0.59022814f);
  float q = -0.000325322908f;
  q = __builtin_fmaf(q, square, 0.00307852915f);
  q = __builtin_fmaf(q, square, -0.0268389378f);
  q = __builtin_fmaf(q, square, -0.310466141f);
  p = __builtin_fmaf(q, x, p);
  return __builtin_fmaf(__builtin_fmaf(p, x, -0.88339448f), x, 1.07400692f);
}

// (log2((1 + s) / (1 - s)) - 2 s log2(e)) / s^3 of x = s^2 on [0.0, 0.0297316], error of the result at most 2^-34.7.
__LANZA_FN float __lanza_poly_log2f(float x) {
  float p = 0.337093979f;
  p = __builtin_fmaf(p, x, 0.411899924f);
  p = __builtin_fmaf(p, x, 0.577079117f);
  return __builtin_fmaf(p, x, 0.961796701f);
}

// (1 - x)^(-1/3) on [-0.1028, 0.1028], error at most 2^-18.8.
__LANZA_FN float __lanza_poly_rcbrtf(float x) {
  float p = 0.174168557f;
  p = __builtin_fmaf(p, x, 0.22375527f);
  p = __builtin_fmaf(p, x, 0.333331585f);
  return __builtin_fmaf(p, x, 0.999997973f);
}
